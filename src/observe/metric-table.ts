/** One metric: what it counts, and by what. */
export interface MetricRow {
  readonly kind: 'counter' | 'gauge' | 'histogram'
  readonly help: string
  /** Names of labels, each with few values. */
  readonly labels: readonly string[]
  /** Upper bounds of a histogram. */
  readonly buckets?: readonly number[]
}

export type CounterName =
  | 'parlance_calls_total'
  | 'parlance_runs_started_total'
  | 'parlance_runs_ended_total'
  | 'parlance_tasks_taken_over_total'
  | 'parlance_tasks_lost_total'
  | 'parlance_events_appended_total'
  | 'parlance_spans_total'
  | 'process_cpu_seconds_total'

export type GaugeName =
  | 'parlance_streams_open'
  | 'parlance_runs'
  | 'parlance_tasks_held'
  | 'parlance_messages_queued'
  | 'parlance_subscribers'
  | 'parlance_subscriber_lag_entries'
  | 'process_start_time_seconds'
  | 'process_resident_memory_bytes'
  | 'nodejs_heap_size_used_bytes'
  | 'nodejs_heap_size_total_bytes'
  | 'nodejs_external_memory_bytes'
  | 'nodejs_eventloop_lag_seconds'
  | 'nodejs_version_info'

export type HistogramName =
  | 'parlance_call_duration_seconds'
  | 'parlance_run_duration_seconds'
  | 'parlance_run_wait_seconds'
  | 'parlance_store_operation_duration_seconds'

export type MetricName = CounterName | GaugeName | HistogramName

const latency: readonly number[] = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]
const fine: readonly number[] = [0.0001, 0.00025, 0.0005, ...latency]
const long: readonly number[] = [0.01, 0.05, 0.1, 0.5, 1, 5, 10, 30, 60, 300, 900, 3_600, 21_600]

/** Everything that is measured. Durations are seconds. */
export const metricTable: Readonly<Record<MetricName, MetricRow>> = {
  parlance_calls_total: {
    kind: 'counter',
    help: 'Calls that were answered, by operation, binding and outcome: ok, or the code of the error.',
    labels: ['method', 'binding', 'outcome'],
  },
  parlance_call_duration_seconds: {
    kind: 'histogram',
    help: 'From the moment a call is understood until its answer, or the first event of its stream, is there.',
    labels: ['method', 'binding'],
    buckets: latency,
  },
  parlance_streams_open: {
    kind: 'gauge',
    help: 'Event streams that are open.',
    labels: [],
  },
  parlance_runs: {
    kind: 'gauge',
    help: 'Runs that are at work (active), or wait for a place among them (waiting).',
    labels: ['state'],
  },
  parlance_runs_started_total: {
    kind: 'counter',
    help: 'Runs that began.',
    labels: [],
  },
  parlance_runs_ended_total: {
    kind: 'counter',
    help: 'Runs that ended, by what they left behind: the state of the task, or message, open, refused, handed_over, lost.',
    labels: ['state'],
  },
  parlance_run_duration_seconds: {
    kind: 'histogram',
    help: 'How long runs worked.',
    labels: [],
    buckets: long,
  },
  parlance_run_wait_seconds: {
    kind: 'histogram',
    help: 'How long messages waited for their run to begin.',
    labels: [],
    buckets: long,
  },
  parlance_tasks_held: {
    kind: 'gauge',
    help: 'Tasks that this process holds to write to them.',
    labels: [],
  },
  parlance_messages_queued: {
    kind: 'gauge',
    help: 'Messages that wait for a run of their task to end.',
    labels: [],
  },
  parlance_tasks_taken_over_total: {
    kind: 'counter',
    help: 'Tasks of other processes that this one took over.',
    labels: [],
  },
  parlance_tasks_lost_total: {
    kind: 'counter',
    help: 'Tasks that this process held and may not write to any more, as it was silent for too long.',
    labels: [],
  },
  parlance_events_appended_total: {
    kind: 'counter',
    help: 'Entries that were stored, by kind: message, status or chunk.',
    labels: ['kind'],
  },
  parlance_subscribers: {
    kind: 'gauge',
    help: 'Readers of tasks, by how many entries each is behind: 0, 1-99, 100-999, 1000+.',
    labels: ['behind'],
  },
  parlance_subscriber_lag_entries: {
    kind: 'gauge',
    help: 'How many entries the slowest reader is behind.',
    labels: [],
  },
  parlance_store_operation_duration_seconds: {
    kind: 'histogram',
    help: 'Operations of the store, by name and outcome: ok, or the code of the error.',
    labels: ['operation', 'outcome'],
    buckets: fine,
  },
  parlance_spans_total: {
    kind: 'counter',
    help: 'Spans of traces, by what became of them: exported, dropped (the queue was full) or failed (the collector did not take them).',
    labels: ['outcome'],
  },
  process_cpu_seconds_total: {
    kind: 'counter',
    help: 'Time of processors that this process used.',
    labels: [],
  },
  process_start_time_seconds: {
    kind: 'gauge',
    help: 'When this process started, seconds since 1970.',
    labels: [],
  },
  process_resident_memory_bytes: {
    kind: 'gauge',
    help: 'Memory that this process holds.',
    labels: [],
  },
  nodejs_heap_size_used_bytes: {
    kind: 'gauge',
    help: 'Memory of the heap that is in use.',
    labels: [],
  },
  nodejs_heap_size_total_bytes: {
    kind: 'gauge',
    help: 'Memory of the heap.',
    labels: [],
  },
  nodejs_external_memory_bytes: {
    kind: 'gauge',
    help: 'Memory outside the heap that belongs to objects in it.',
    labels: [],
  },
  nodejs_eventloop_lag_seconds: {
    kind: 'gauge',
    help: 'How late the event loop was since the last look, by quantile: 0.5, 0.99, and 1 for the longest.',
    labels: ['quantile'],
  },
  nodejs_version_info: {
    kind: 'gauge',
    help: 'Always 1; the version is in the label.',
    labels: ['version'],
  },
}

/** Takes in what is measured while work is done. Values of labels come in the order of the table. */
export interface Meter {
  add(name: CounterName, by?: number, ...labels: readonly string[]): void
  record(name: HistogramName, value: number, ...labels: readonly string[]): void
  /** Looks the labels up once, for what is counted again and again. */
  counter(name: CounterName, ...labels: readonly string[]): (by?: number) => void
  histogram(name: HistogramName, ...labels: readonly string[]): (value: number) => void
}
