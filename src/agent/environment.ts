import { readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { parseEnv } from 'node:util'
import { AgentFileError } from './finding.ts'

/** Where variables of an agent file come from. */
export interface Environment {
  /** The value of a variable; undefined when it is unset or empty. */
  get(name: string): string | undefined
}

/** Sources of variables, first to last. */
export interface EnvironmentOptions {
  /** Files of `NAME=value` lines; relative to the working folder. */
  readonly files?: readonly string[]
  readonly workingDir?: string
  /** Default: the environment of the process. */
  readonly variables?: Readonly<Record<string, string | undefined>>
  /** Folder with one file per secret, as container runtimes mount them. Default `/run/secrets`. */
  readonly secretsDir?: string
}

/** Gathers variables: files first, then the process, then mounted secrets. An unreadable file is an `AgentFileError`. */
export async function readEnvironment(options: EnvironmentOptions = {}): Promise<Environment> {
  const { files = [], workingDir = process.cwd(), variables = process.env, secretsDir = '/run/secrets' } = options
  const fromFiles = new Map<string, string>()
  for (const file of files) {
    let text: string
    try {
      text = await readFile(resolve(workingDir, file), 'utf8')
    } catch (error) {
      const reason =
        (error as NodeJS.ErrnoException).code === 'ENOENT' ? 'there is no such file' : (error as Error).message
      throw new AgentFileError([
        {
          severity: 'error',
          file,
          line: 1,
          column: 1,
          path: '',
          message: `cannot be read as an environment file: ${reason}`,
        },
      ])
    }
    for (const [name, value] of Object.entries(parseEnv(text))) {
      if (value !== undefined && !fromFiles.has(name)) fromFiles.set(name, value)
    }
  }
  return {
    get(name) {
      if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) return undefined
      return fromFiles.get(name) || variables[name] || secret(secretsDir, name)
    },
  }
}

function secret(folder: string, name: string): string | undefined {
  try {
    return readFileSync(join(folder, name), 'utf8').trim() || undefined
  } catch {
    return undefined
  }
}
