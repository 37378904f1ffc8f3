#!/usr/bin/env node
import nodeModule from 'node:module'
import { createProgram, type Run } from './program.ts'

const args = process.argv.slice(2)
const usageExit = 2
const internalExit = 5

// Newer versions of Node keep compiled code from one start to the next, for the modules that commands load.
const { enableCompileCache } = nodeModule as { enableCompileCache?: () => unknown }
enableCompileCache?.()

const run: Run = async (flags, work) => {
  const { createOutput } = await import('./output.ts')
  const output = createOutput({ json: flags.json === true })
  // What a command waits for may keep no process alive by itself, as a thread that ends does not.
  setInterval(() => {}, 60_000)
  let code: number
  try {
    code = await work(output)
  } catch (error) {
    const { reportFailure } = await import('./report.ts')
    code = await reportFailure(output, error, { debug: flags.debug === true })
  }
  await end(code)
}

/** Ends the process once everything is written, although connections may be open that could be used again. */
async function end(code: number): Promise<never> {
  await Promise.all(
    [process.stdout, process.stderr].map((stream) => new Promise((resolve) => stream.write('', resolve))),
  )
  process.exit(code)
}

process.on('uncaughtException', (error: NodeJS.ErrnoException) => {
  // Whoever read the help has read enough.
  if (error.code === 'EPIPE') process.exit(0)
  process.stderr.write(`error: ${args.includes('--debug') ? error.stack : `${error.message} (--debug shows more)`}\n`)
  process.exit(internalExit)
})

/** Writes a wrong command line in the form that every other error has. */
async function refuse(message: string): Promise<void> {
  const [text = '', ...more] = message
    .replace(/^error: /, '')
    .trim()
    .split('\n')
  const suggestion = more.join(' ').match(/Did you mean (.+)\?/)?.[1]
  const { usageError } = await import('./command-error.ts')
  const hint = suggestion === undefined ? 'parlance --help shows the commands' : `did you mean ${suggestion}?`
  await run({ json: args.includes('--json') }, () => Promise.reject(usageError(text, hint)))
}

const program = createProgram(run)
for (const command of [program, ...program.commands]) {
  command.exitOverride().configureOutput({ outputError: () => {} })
}

try {
  await program.parseAsync(args, { from: 'user' })
} catch (error) {
  const { code, message, exitCode } = error as { code?: string; message: string; exitCode?: number }
  if (code?.startsWith('commander.') !== true) throw error
  if (code === 'commander.help') await end(usageExit)
  else if (exitCode === 0) await end(0)
  else await refuse(message)
}
