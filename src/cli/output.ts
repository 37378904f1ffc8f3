import picocolors from 'picocolors'
import type { JsonValue } from '../lib/json.ts'
import { exitCodes } from './exit-codes.ts'
import { cleanText } from './terminal-text.ts'

/** What styles a text; without a terminal each one gives the text as it is. */
export type Colors = Pick<
  ReturnType<typeof picocolors.createColors>,
  'bold' | 'cyan' | 'dim' | 'green' | 'red' | 'yellow'
>

/** The stream that a command writes to. */
export interface OutputStream {
  readonly isTTY?: boolean
  readonly columns?: number
  write(text: string): boolean
  once(event: 'drain', listener: () => void): unknown
  on(event: 'error', listener: (error: NodeJS.ErrnoException) => void): unknown
}

export interface OutputOptions {
  readonly json?: boolean
  readonly out?: OutputStream
  readonly err?: OutputStream
  readonly env?: Readonly<Record<string, string | undefined>>
  /** What to do when nobody reads standard output any more. Default: end the process quietly. */
  readonly whenClosed?: () => void
}

/** Where a command says things: its result on standard output, everything else on standard error. */
export interface Output {
  readonly json: boolean
  /** Whether a person reads standard output, and standard error. */
  readonly outIsTerminal: boolean
  readonly errIsTerminal: boolean
  /** Columns of the terminal that standard output is. */
  readonly columns: number
  /** Styles for standard output, and for standard error. */
  readonly out: Colors
  readonly err: Colors
  /** Writes to standard output as it is; waits while the reader is slow. */
  write(text: string): Promise<void>
  /** Writes lines to standard output as they are. */
  lines(lines: readonly string[]): Promise<void>
  /** Writes one JSON document on one line of standard output. */
  document(value: unknown): Promise<void>
  /** Writes a line to standard error, made safe for a terminal. */
  note(text: string): void
  /** The same after `warning: `. */
  warn(text: string): void
  /** Writes to standard error as it is, for texts made here. */
  writeNote(text: string): void
  /** From now on a closed standard output changes nothing; for commands that go on without it. */
  goOnWhenClosed(): void
}

/** Whether a stream gets colours (https://no-color.org). */
export function wantsColor(stream: OutputStream, env: Readonly<Record<string, string | undefined>>): boolean {
  return stream.isTTY === true && !env.NO_COLOR && env.TERM !== 'dumb'
}

/** The output of one command. */
export function createOutput(options: OutputOptions = {}): Output {
  const { json = false, out = process.stdout, err = process.stderr, env = process.env } = options
  let whenClosed = options.whenClosed ?? ((): void => process.exit(exitCodes.ok))
  const outColors = picocolors.createColors(wantsColor(out, env))
  const errColors = picocolors.createColors(wantsColor(err, env))
  let closed = false
  let resume = (): void => {}
  out.on('error', (error) => {
    if (error.code !== 'EPIPE') throw error
    closed = true
    whenClosed()
    resume()
  })
  err.on('error', () => {})

  async function write(text: string): Promise<void> {
    if (text === '' || closed || out.write(text)) return
    await new Promise<void>((resolve) => {
      resume = resolve
      out.once('drain', resolve)
    })
  }
  const note = (text: string): void => void err.write(`${cleanText(text)}\n`)

  return {
    json,
    outIsTerminal: out.isTTY === true,
    errIsTerminal: err.isTTY === true,
    columns: out.columns || 80,
    out: outColors,
    err: errColors,
    write,
    lines: (lines) => write(lines.map((line) => `${line}\n`).join('')),
    document: (value) => write(`${JSON.stringify(value as JsonValue)}\n`),
    note,
    warn: (text) => void err.write(`${errColors.yellow('warning:')} ${cleanText(text)}\n`),
    writeNote: (text) => void err.write(text),
    goOnWhenClosed: () => {
      whenClosed = () => {}
    },
  }
}
