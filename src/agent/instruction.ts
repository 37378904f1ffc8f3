import { existsSync } from 'node:fs'
import { readFile, realpath } from 'node:fs/promises'
import { arch, platform } from 'node:os'
import { dirname, isAbsolute, join, relative, resolve } from 'node:path'
import type { AgentSource } from './read-file.ts'

/** What the instruction of an agent depends on besides its file. */
export interface InstructionOptions {
  readonly workingDir: string
  now(): number
}

/** Reads the instruction of an agent and the files that hold more of it; the result makes the system prompt of a turn. */
export async function readInstruction(source: AgentSource, options: InstructionOptions): Promise<() => string> {
  const { agent } = source
  const texts = [agent.instruction?.trim() ?? '']
  const given = agent.instruction_file ?? []
  for (const file of typeof given === 'string' ? [given] : given) texts.push(await readBeside(source, file))
  const fixed = texts.filter((text) => text !== '').join('\n\n')
  const environment = agent.add_environment_info === true ? environmentInfo(options.workingDir) : ''
  const { add_date: addDate = false } = agent
  return () => {
    const date = addDate ? `Today's date: ${new Date(options.now()).toISOString().slice(0, 10)}` : ''
    return [fixed, date, environment].filter((text) => text !== '').join('\n\n')
  }
}

async function readBeside(source: AgentSource, file: string): Promise<string> {
  const at = ['agents', source.served, 'instruction_file']
  const folder = dirname(resolve(source.path))
  const path = resolve(folder, file)
  try {
    const inside = relative(await realpath(folder), await realpath(path))
    if (isAbsolute(file) || inside.startsWith('..') || isAbsolute(inside)) {
      source.findings.error(at, `${file} must lie in the folder of the agent file`)
      return ''
    }
    return (await readFile(path, 'utf8')).trim()
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    source.findings.error(at, `${file} cannot be read: ${code === 'ENOENT' ? 'there is no such file' : message}`)
    return ''
  }
}

function environmentInfo(workingDir: string): string {
  const repository = existsSync(join(workingDir, '.git')) ? 'yes' : 'no'
  return [
    'About the environment:',
    `Working folder: ${workingDir}`,
    `Is it a git repository: ${repository}`,
    `Operating system: ${platform()}`,
    `Processor: ${arch()}`,
  ].join('\n')
}
