import type { Tracer } from '../lib/trace.ts'
import type { Meter } from './metric-table.ts'

/** Where work is measured and traced; what is missing costs nothing. */
export interface Telemetry {
  readonly meter?: Meter
  readonly tracer?: Tracer
  /** Whether the log may hold the texts of messages; default false. */
  readonly logContent?: boolean
}
