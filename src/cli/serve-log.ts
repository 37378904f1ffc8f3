import type { Logger } from '../lib/log.ts'
import type { Output } from './output.ts'

type Fields = Readonly<Record<string, unknown>>

/** The levels of `--log-level`, the most pressing first. */
export const logLevels: readonly ['error', 'warn', 'info'] = ['error', 'warn', 'info']
export type LogLevel = (typeof logLevels)[number]

export interface LogOptions {
  /** Whether to write JSON lines; else lines for people. */
  readonly json: boolean
  /** Whether people see where errors come from. */
  readonly debug: boolean
  /** What is written: this, and what is more pressing. */
  readonly level: LogLevel
  /** Number of this process among the workers of one command. */
  readonly worker?: number | undefined
}

/** The log of a server, on standard error. */
export async function createServeLog(output: Output, { json, debug, level, worker }: LogOptions): Promise<Logger> {
  if (!json) return plainLog(output, { debug, level, worker })
  const { pino, destination } = await import('pino').then(({ default: made }) => ({
    pino: made,
    destination: made.destination,
  }))
  const log = pino(
    {
      level,
      base: { pid: process.pid, ...(worker !== undefined && { worker }) },
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

function plainLog(output: Output, { debug, level, worker }: Omit<LogOptions, 'json'>): Logger {
  const told = logLevels.slice(0, logLevels.indexOf(level) + 1)
  const place = worker === undefined ? '' : `${output.err.dim(`[${worker}]`)} `
  const write = (label: string, message: string, fields: Fields = {}): void => {
    const details = Object.entries(toPlain(fields, debug)).map(([name, value]) => `${name}=${oneLine(value)}`)
    const shown = details.length === 0 ? '' : output.err.dim(` (${details.join(', ')})`)
    output.writeNote(`${place}${label} ${message}${shown}\n`)
  }
  return {
    info: (message, fields) => {
      if (told.includes('info')) write(output.err.dim('info:'), message, fields)
    },
    warn: (message, fields) => {
      if (told.includes('warn')) write(output.err.yellow('warning:'), message, fields)
    },
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
