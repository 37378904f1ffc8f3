import type { Logger } from '../lib/log.ts'
import type { Tracer } from '../lib/trace.ts'
import type { ServeOptions } from '../server/serve.ts'
import type { SpanCounts } from '../server/watch-agent.ts'
import { usageError } from './command-error.ts'
import { type LogOptions, logLevels } from './serve-log.ts'

/** The flags of `parlance serve` that say what is told of its work, and where. */
export interface WatchFlags {
  readonly adminListen?: string
  readonly metricsToken?: string
  readonly otlp?: string
  readonly traceRatio?: string
  readonly traceContent?: boolean
  readonly logFormat?: string
  readonly logLevel?: string
  readonly logContent?: boolean
}

/** How the log is written: as the flags say, else as suits who reads it. */
export function logOptions(
  { logFormat, logLevel, debug = false }: WatchFlags & { readonly debug?: boolean },
  json: boolean,
): Pick<LogOptions, 'json' | 'debug' | 'level'> {
  const asJson = logFormat === undefined ? json : logFormat === 'json'
  const level = logLevels.find((known) => known === logLevel) ?? (asJson || debug ? 'info' : 'warn')
  return { json: asJson, debug, level }
}

/** What is told beside the calls, and on an address of its own. */
export function watchOptions({ adminListen, metricsToken, logContent }: WatchFlags): Partial<ServeOptions> {
  const token = metricsToken ?? (process.env.PARLANCE_METRICS_TOKEN || undefined)
  return {
    ...(adminListen !== undefined && { adminListen }),
    ...(token !== undefined && { metricsToken: token }),
    ...(logContent === true && { logContent }),
  }
}

/** Spans on their way to a collector. */
export interface Tracing {
  readonly tracer: Tracer
  readonly spanCounts: () => SpanCounts
  /** Sends what waits. */
  close(): Promise<void>
}

export interface TracingOptions {
  readonly agent: { readonly name: string; readonly version: string }
  readonly log: Logger
}

/** Begins to send spans where the flags or the variables of OpenTelemetry name a collector. */
export async function startTracing(flags: WatchFlags, { agent, log }: TracingOptions): Promise<Tracing | undefined> {
  const url = collectorUrl(flags)
  if (url === undefined) return undefined
  const ratio = flags.traceRatio === undefined ? 1 : readRatio(flags.traceRatio)
  const [{ createOtlpExporter }, { createTracer }] = await Promise.all([
    import('../observe/otlp.ts'),
    import('../observe/tracer.ts'),
  ])
  const { OTEL_SERVICE_NAME: service, OTEL_EXPORTER_OTLP_HEADERS: headers } = process.env
  try {
    const exporter = createOtlpExporter({
      url,
      log,
      ...(headers && { headers: readHeaders(headers) }),
      resource: {
        'service.name': service || agent.name,
        'service.version': agent.version,
        'service.instance.id': crypto.randomUUID(),
        'process.pid': process.pid,
      },
    })
    const tracer = createTracer({ export: exporter.add, ratio, content: flags.traceContent === true })
    return {
      tracer,
      spanCounts: () => exporter.counts,
      close: async () => {
        await exporter.close()
        const { dropped, failed } = exporter.counts
        if (dropped + failed > 0) log.warn('Spans did not reach the collector', { dropped, failed })
      },
    }
  } catch (error) {
    throw usageError(`--otlp: ${(error as Error).message.replace(/^otlp: /, '')}`)
  }
}

function collectorUrl({ otlp }: WatchFlags): string | undefined {
  const { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: traces, OTEL_EXPORTER_OTLP_ENDPOINT: all } = process.env
  if (otlp !== undefined) return otlp
  if (traces) return traces
  return all ? `${all.replace(/\/+$/, '')}/v1/traces` : undefined
}

function readRatio(text: string): number {
  const ratio = Number(text)
  if (text.trim() !== '' && ratio >= 0 && ratio <= 1) return ratio
  throw usageError(`--trace-ratio: ${JSON.stringify(text)} is not a share`, 'write a number from 0 to 1, such as 0.1')
}

/** `name=value` pairs with commas, percent-encoded, as the standard variable has them. */
function readHeaders(text: string): Record<string, string> {
  const pairs = text.split(',').flatMap((pair) => {
    const at = pair.indexOf('=')
    return at < 1 ? [] : [[pair.slice(0, at).trim().toLowerCase(), decode(pair.slice(at + 1).trim())]]
  })
  return Object.fromEntries(pairs) as Record<string, string>
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
