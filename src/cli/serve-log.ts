import type { Logger } from '../lib/log.ts'
import type { Output } from './output.ts'

type Fields = Readonly<Record<string, unknown>>

export interface LogOptions {
  /** Whether to write JSON lines, with everything; else lines for people, with what they should know. */
  readonly json: boolean
  /** Whether people see the details too: what is only informative, and where errors come from. */
  readonly debug: boolean
}

/** The log of a server, on standard error. */
export async function createServeLog(output: Output, { json, debug }: LogOptions): Promise<Logger> {
  if (!json) return plainLog(output, debug)
  const { pino, destination } = await import('pino').then(({ default: made }) => ({
    pino: made,
    destination: made.destination,
  }))
  const log = pino(
    {
      base: { pid: process.pid },
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      redact: ['token', 'authorization', 'headers.authorization', '*.token', '*.authorization'],
    },
    destination({ fd: 2, sync: true }),
  )
  const plain = (fields: Fields = {}): Record<string, unknown> => toPlain(fields, debug)
  return {
    info: (message, fields) => log.info(plain(fields), message),
    warn: (message, fields) => log.warn(plain(fields), message),
    error: (message, fields) => log.error(plain(fields), message),
  }
}

function plainLog(output: Output, debug: boolean): Logger {
  const write = (label: string, message: string, fields: Fields = {}): void => {
    const details = Object.entries(toPlain(fields, debug)).map(([name, value]) => `${name}=${oneLine(value)}`)
    const shown = details.length === 0 ? '' : output.err.dim(` (${details.join(', ')})`)
    output.writeNote(`${label} ${message}${shown}\n`)
  }
  return {
    info: (message, fields) => {
      if (debug) write(output.err.dim('info:'), message, fields)
    },
    warn: (message, fields) => write(output.err.yellow('warning:'), message, fields),
    error: (message, fields) => write(output.err.red('error:'), message, fields),
  }
}

function oneLine(value: unknown): string {
  return typeof value === 'string' && /^[\w./:@-]+$/.test(value) ? value : (JSON.stringify(value) ?? 'undefined')
}

/** Errors as data: their texts, and with `debug` also where they were thrown. */
function toPlain(fields: Fields, debug: boolean): Record<string, unknown> {
  const shown = Object.entries(fields).filter(([name]) => debug || name !== 'stack')
  return Object.fromEntries(shown.map(([name, value]) => [name, errorText(value, debug)]))
}

function errorText(value: unknown, debug: boolean): unknown {
  if (typeof value !== 'object' || value === null || !('stack' in value) || !('message' in value)) return value
  const { message, stack, cause } = value as Error
  const inner = cause === undefined ? '' : errorText(cause, false)
  if (debug) return stack ?? message
  return typeof inner === 'string' && inner !== '' ? `${message} (${inner})` : message
}
