import {
  type CounterName,
  type GaugeName,
  type HistogramName,
  type Meter,
  type MetricName,
  type MetricRow,
  metricTable,
} from './metric-table.ts'

type Labels = Readonly<Record<string, string>>

/** One value of a metric, as the text format and the merging of several processes want it. */
interface Value {
  readonly labels: Labels
  readonly value: number
  readonly metricName?: string
}

/** A metric with its values, as plain data that may travel between processes. */
export interface MetricData {
  readonly name: string
  readonly help: string
  readonly type: MetricRow['kind']
  readonly values: readonly Value[]
  readonly aggregator: 'sum' | 'max' | 'first'
}

/** What a gauge says when somebody looks. */
export type Reading = readonly (readonly [value: number, ...labels: readonly string[]])[]

interface Cell {
  readonly labels: Labels
  value: number
  /** Of a histogram: how many values lie in each bucket, the last one without a bound. */
  counts: number[]
}

/** Metrics of one server, never in a registry that others share. */
export class Metrics implements Meter {
  readonly #cells = new Map<MetricName, Map<string, Cell>>()
  readonly #readings = new Map<MetricName, () => Reading>()

  constructor() {
    for (const name of Object.keys(metricTable) as MetricName[]) {
      const cells = new Map<string, Cell>()
      this.#cells.set(name, cells)
      // What has no labels is there from the beginning, as 0.
      if (metricTable[name].kind !== 'gauge' && metricTable[name].labels.length === 0) this.#cell(name, [])
    }
  }

  add(name: CounterName, by = 1, ...labels: readonly string[]): void {
    this.#cell(name, labels).value += by
  }

  counter(name: CounterName, ...labels: readonly string[]): (by?: number) => void {
    const cell = this.#cell(name, labels)
    return (by = 1) => {
      cell.value += by
    }
  }

  histogram(name: HistogramName, ...labels: readonly string[]): (value: number) => void {
    const cell = this.#cell(name, labels)
    const bounds = metricTable[name].buckets ?? []
    return (value) => put(cell, bounds, value)
  }

  record(name: HistogramName, value: number, ...labels: readonly string[]): void {
    put(this.#cell(name, labels), metricTable[name].buckets ?? [], value)
  }

  /** Says how a gauge, or a counter that something else keeps, is read; the returned function takes that back. */
  read(name: GaugeName | CounterName, reading: () => Reading): () => void {
    this.#readings.set(name, reading)
    return () => {
      if (this.#readings.get(name) === reading) this.#readings.delete(name)
    }
  }

  /** All values as data. */
  data(): readonly MetricData[] {
    return [...this.#cells].flatMap(([name, cells]) => {
      const values = this.#read(name) ?? [...cells.values()].flatMap((cell) => valuesOf(name, cell))
      const { kind, help } = metricTable[name]
      return values.length === 0 ? [] : [{ name, help, type: kind, values, aggregator: aggregatorOf(name) }]
    })
  }

  #cell(name: MetricName, labels: readonly string[]): Cell {
    const cells = this.#cells.get(name) as Map<string, Cell>
    const key = labels.length === 1 ? (labels[0] as string) : labels.join('\n')
    const known = cells.get(key)
    if (known !== undefined) return known
    const { buckets } = metricTable[name]
    const made: Cell = { labels: named(name, labels), value: 0, counts: new Array((buckets?.length ?? 0) + 1).fill(0) }
    cells.set(key, made)
    return made
  }

  #read(name: MetricName): readonly Value[] | undefined {
    return this.#readings
      .get(name)?.()
      .map(([value, ...labels]) => ({ labels: named(name, labels), value }))
  }
}

function put(cell: Cell, bounds: readonly number[], value: number): void {
  cell.value += value
  let at = 0
  while (at < bounds.length && value > (bounds[at] as number)) at += 1
  cell.counts[at] = (cell.counts[at] ?? 0) + 1
}

function named(name: MetricName, values: readonly string[]): Labels {
  const { labels } = metricTable[name]
  if (labels.length !== values.length) throw new TypeError(`${name} has the labels ${labels.join(', ') || 'none'}`)
  return Object.fromEntries(labels.map((label, at) => [label, values[at] as string]))
}

function valuesOf(name: MetricName, { labels, value, counts }: Cell): readonly Value[] {
  const { kind, buckets = [] } = metricTable[name]
  if (kind !== 'histogram') return [{ labels, value }]
  let count = 0
  const values: Value[] = [...buckets, '+Inf'].map((le, at) => {
    count += counts[at] ?? 0
    return { labels: { ...labels, le: String(le) }, value: count, metricName: `${name}_bucket` }
  })
  values.push({ labels, value, metricName: `${name}_sum` }, { labels, value: count, metricName: `${name}_count` })
  return values
}

/** How the values of several processes become one. */
function aggregatorOf(name: MetricName): MetricData['aggregator'] {
  if (name === 'parlance_subscriber_lag_entries' || name === 'nodejs_eventloop_lag_seconds') return 'max'
  return name === 'process_start_time_seconds' || name === 'nodejs_version_info' ? 'first' : 'sum'
}

/** The media type of `metricsText`. */
export const metricsType = 'text/plain; version=0.0.4; charset=utf-8'

/** The text that Prometheus reads, of one process or of several together. */
export async function metricsText(processes: readonly (readonly MetricData[])[]): Promise<string> {
  const { AggregatorRegistry, Registry } = (await import('prom-client')).default
  if (processes.length !== 1) return AggregatorRegistry.aggregate(processes as never).metrics()
  const registry = new Registry()
  for (const metric of processes[0] as readonly MetricData[]) {
    registry.registerMetric({ name: metric.name, get: async () => metric } as never)
  }
  return registry.metrics()
}
