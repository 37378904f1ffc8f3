import type { Engine } from '../engine/engine.ts'
import type { Store } from '../engine/store.ts'
import type { Logger } from '../lib/log.ts'
import type { Tracer } from '../lib/trace.ts'
import type { MetricData, Metrics } from '../observe/metrics.ts'
import type { Telemetry } from '../observe/telemetry.ts'
import type { HttpServer } from './server.ts'

/** How a server is watched. */
export interface WatchOptions {
  /** Whether metrics are kept, for `/metrics` or for whoever asks. */
  readonly measured?: boolean
  /** Lets whoever has this token read `/metrics` beside the calls. */
  readonly metricsToken?: string
  /** Makes spans; without one, those of the SDK of OpenTelemetry that the program has set up, if any. */
  readonly tracer?: Tracer
  /** What became of the spans that this process sent. */
  readonly spanCounts?: () => SpanCounts
  /** The other processes that serve the same address, whose metrics are told together with those of this one. */
  readonly peers?: MetricsPeers
  /** Whether the log may hold the texts of messages; default false. */
  readonly logContent?: boolean
  /** Milliseconds from which on an operation of the store is told to the log; 1,000. */
  readonly slowStore?: number
}

/** Numbers of spans. */
export interface SpanCounts {
  readonly exported: number
  readonly dropped: number
  readonly failed: number
}

/** Processes that serve one address together. */
export interface MetricsPeers {
  /** Says what this one has, when another one asks; the returned function ends that. */
  answer(data: () => readonly MetricData[]): () => void
  /** What the others have, as far as they tell in time. */
  ask(): Promise<readonly (readonly MetricData[])[]>
}

/** What watches one agent. */
export interface Watched {
  /** The store, its operations measured and traced. */
  readonly store: Store
  readonly telemetry: Telemetry
  /** The text of all metrics; only where they are measured. */
  readonly metrics?: () => Promise<string>
  /** Lets the metrics tell what these have in hand. */
  measure(engine: Pick<Engine, 'stats'>, server: Pick<HttpServer, 'openStreams'>): void
  stop(): void
}

/** Begins to watch an agent, as far as that is asked for. */
export async function watchAgent(store: Store, options: WatchOptions & { readonly log: Logger }): Promise<Watched> {
  const {
    log,
    metricsToken,
    measured = metricsToken !== undefined,
    slowStore,
    peers,
    spanCounts,
    logContent = false,
  } = options
  const tracer = options.tracer ?? (await findTracer())
  const { observeStore } = await import('../stores/observed.ts')
  const metrics = measured ? await import('../observe/metrics.ts').then((made) => new made.Metrics()) : undefined
  const stops: (() => void)[] = []
  if (metrics !== undefined) {
    stops.push((await import('../observe/process-metrics.ts')).measureProcess(metrics))
    if (spanCounts !== undefined) stops.push(readSpans(metrics, spanCounts))
    if (peers !== undefined) stops.push(peers.answer(() => metrics.data()))
  }
  const observed = observeStore(store, {
    log,
    traced: tracer !== undefined,
    ...(metrics && { meter: metrics }),
    ...(slowStore !== undefined && { slow: slowStore }),
  })
  return {
    store: observed,
    telemetry: { ...(metrics && { meter: metrics }), ...(tracer && { tracer }), logContent },
    ...(metrics && { metrics: () => textOf(metrics, peers) }),
    measure: (engine, server) => {
      if (metrics !== undefined) stops.push(...readHands(metrics, { engine, server }))
    },
    stop: () => {
      for (const stop of stops.splice(0)) stop()
    },
  }
}

function readSpans(metrics: Metrics, counts: () => SpanCounts): () => void {
  return metrics.read('parlance_spans_total', () =>
    Object.entries(counts()).map(([outcome, count]) => [count as number, outcome] as const),
  )
}

async function textOf(metrics: Metrics, peers: MetricsPeers | undefined): Promise<string> {
  const [{ metricsText }, others] = await Promise.all([import('../observe/metrics.ts'), peers?.ask() ?? []])
  return metricsText([metrics.data(), ...others])
}

async function findTracer(): Promise<Tracer | undefined> {
  const { openTelemetryTracer } = await import('../observe/open-telemetry.ts')
  return await openTelemetryTracer()
}

interface Hands {
  readonly engine: Pick<Engine, 'stats'>
  readonly server: Pick<HttpServer, 'openStreams'>
}

const lags: readonly (readonly [least: number, label: string])[] = [
  [1_000, '1000+'],
  [100, '100-999'],
  [1, '1-99'],
  [0, '0'],
]

function readHands(metrics: Metrics, { engine, server }: Hands): (() => void)[] {
  return [
    metrics.read('parlance_streams_open', () => [[server.openStreams]]),
    metrics.read('parlance_runs', () => {
      const { active, waiting } = engine.stats().runs
      return [
        [active, 'active'],
        [waiting, 'waiting'],
      ]
    }),
    metrics.read('parlance_tasks_held', () => [[engine.stats().held]]),
    metrics.read('parlance_messages_queued', () => [[engine.stats().queued]]),
    metrics.read('parlance_subscriber_lag_entries', () => [
      [engine.stats().behind.reduce((a, b) => Math.max(a, b), 0)],
    ]),
    metrics.read('parlance_subscribers', () => {
      const counts = new Map(lags.map(([, label]) => [label, 0]))
      for (const behind of engine.stats().behind) {
        const label = lags.find(([least]) => behind >= least)?.[1] ?? '0'
        counts.set(label, (counts.get(label) ?? 0) + 1)
      }
      return [...counts].map(([label, count]) => [count, label] as const)
    }),
  ]
}
