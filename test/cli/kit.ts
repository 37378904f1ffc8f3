import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createOutput, type OutputStream } from '../../src/cli/output.ts'
import { createProgram, type Run } from '../../src/cli/program.ts'
import { reportFailure } from '../../src/cli/report.ts'
import type { Agent } from '../../src/engine/executor.ts'
import { serve } from '../../src/server/serve.ts'

/** The repository, and the command as it is shipped. */
export const repository: string = join(import.meta.dirname, '..', '..')
export const command: string = join(repository, 'dist', 'cli', 'main.js')
/** An agent that does what the first word of a message says. */
export const acrobat: string = join(import.meta.dirname, 'agent.mjs')

let root: string | undefined

/** A folder of its own for a test; it goes away at the end of the file, by `endAll`. */
export function temporaryFolder(): string {
  root ??= mkdtempSync(join(tmpdir(), 'parlance-cli-'))
  return mkdtempSync(join(root, '-'))
}

/** How a command ended and what it wrote. */
export interface Ended {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  readonly out: string
  readonly err: string
}

export interface StartOptions {
  /** Piped to standard input, which ends after it. */
  readonly input?: string
  readonly env?: Readonly<Record<string, string>>
  readonly cwd?: string
}

/** A command at work. */
export interface Started {
  readonly child: ChildProcessWithoutNullStreams
  readonly ended: Promise<Ended>
  /** Waits until standard output holds a text; fails when the command ends before. */
  until(text: string): Promise<void>
  out(): string
  err(): string
}

const running = new Set<ChildProcessWithoutNullStreams>()

/** Starts the command with arguments. */
export function start(args: readonly string[], { input, env = {}, cwd = repository }: StartOptions = {}): Started {
  const own = Object.entries(process.env).filter(
    ([name]) => !/^(PARLANCE_|NO_COLOR|FORCE_COLOR|NODE_OPTIONS|VITEST)/.test(name),
  )
  const child = spawn(process.execPath, [command, ...args], {
    cwd,
    env: { ...Object.fromEntries(own), XDG_DATA_HOME: temporaryFolder(), ...env },
  })
  running.add(child)
  let out = ''
  let err = ''
  const watchers = new Set<() => void>()
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    out += text
    for (const watch of watchers) watch()
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    err += text
  })
  child.stdin.on('error', () => {})
  child.stdin.end(input ?? '')
  const ended = new Promise<Ended>((resolve) => {
    child.on('close', (code, signal) => {
      running.delete(child)
      resolve({ code, signal, out, err })
    })
  })
  return {
    child,
    ended,
    out: () => out,
    err: () => err,
    until: (text) =>
      new Promise((resolve, reject) => {
        const watch = (): void => {
          if (!out.includes(text)) return
          watchers.delete(watch)
          resolve()
        }
        watchers.add(watch)
        watch()
        void ended.then(() => reject(new Error(`ended without ${JSON.stringify(text)}: ${out}${err}`)))
      }),
  }
}

/** Runs the command to its end. */
export function parlance(args: readonly string[], options?: StartOptions): Promise<Ended> {
  return start(args, options).ended
}

/** A server at work, and what it said about itself. */
export interface Serving extends Started {
  readonly url: string
  readonly announced: Readonly<Record<string, unknown>>
}

/** Serves an agent on a free port. */
export async function serving(args: readonly string[], options?: StartOptions): Promise<Serving> {
  const started = start(['serve', ...args, '--listen', '127.0.0.1:0', '--json'], options)
  await started.until('\n')
  const announced = JSON.parse(started.out()) as Record<string, unknown>
  return { ...started, announced, url: String(announced.url) }
}

/** Ends what a failed test may have left, and removes the folders of the tests. */
export async function endAll(): Promise<void> {
  const closed = [...running].map((child) => new Promise((resolve) => child.once('close', resolve)))
  for (const child of running) child.kill('SIGKILL')
  await Promise.all(closed)
  if (root !== undefined) rmSync(root, { recursive: true, force: true })
  root = undefined
}

/** What a command that ran in this process wrote, and its exit code. */
export type Here = Pick<Ended, 'code' | 'out' | 'err'>

/** Runs a command in this process, from its command line on; many times faster than a process of its own. */
export function here(...args: readonly string[]): Promise<Here> {
  return runHere(args, false)
}

/** The same with both outputs on a terminal. */
export function onTerminal(...args: readonly string[]): Promise<Here> {
  return runHere(args, true)
}

async function runHere(args: readonly string[], isTTY: boolean): Promise<Here> {
  let code: number | null = null
  const texts = { out: '', err: '' }
  const stream = (name: 'out' | 'err'): OutputStream => ({
    isTTY,
    columns: 100,
    write(text) {
      texts[name] += text
      return true
    },
    once: () => {},
    on: () => {},
  })
  const run: Run = async ({ json = false, debug = false }, work) => {
    const output = createOutput({ json, out: stream('out'), err: stream('err'), env: {} })
    code = await work(output).catch((error: unknown) => reportFailure(output, error, { debug }))
  }
  await createProgram(run).parseAsync(args, { from: 'user' })
  return { code, ...texts }
}

/** Serves the acrobat in this process. */
export async function servedHere(): Promise<{ readonly url: string; close(): Promise<void> }> {
  const { agent } = (await import(acrobat)) as { agent: Agent }
  return await serve(agent, { listen: '127.0.0.1:0' })
}

/** The arguments of the command that a hint shows, with other words in place of some. */
export function hinted(err: string, name: string, replaced: readonly [string, string] = ['', '']): string[] {
  const line = err.split('\n').find((text) => text.includes(`npx parlance ${name} `)) ?? ''
  const words = line.slice(line.indexOf('npx parlance ') + 'npx parlance '.length)
  return words.replace(...replaced).split(' ')
}
