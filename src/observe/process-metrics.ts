import { monitorEventLoopDelay } from 'node:perf_hooks'
import type { GaugeName } from './metric-table.ts'
import type { Metrics, Reading } from './metrics.ts'

/** Measures this process until the returned function is called. */
export function measureProcess(metrics: Metrics): () => void {
  const delay = monitorEventLoopDelay({ resolution: 20 })
  delay.enable()
  const seconds = (nanoseconds: number): number => (Number.isFinite(nanoseconds) ? nanoseconds / 1e9 : 0)
  const memory: readonly (readonly [GaugeName, keyof NodeJS.MemoryUsage])[] = [
    ['process_resident_memory_bytes', 'rss'],
    ['nodejs_heap_size_used_bytes', 'heapUsed'],
    ['nodejs_heap_size_total_bytes', 'heapTotal'],
    ['nodejs_external_memory_bytes', 'external'],
  ]
  const stops = [
    ...memory.map(([name, field]) => metrics.read(name, () => [[process.memoryUsage()[field]]])),
    metrics.read('process_cpu_seconds_total', () => {
      const { user, system } = process.cpuUsage()
      return [[(user + system) / 1e6]]
    }),
    metrics.read('process_start_time_seconds', () => [[Math.round(performance.timeOrigin / 1_000)]]),
    metrics.read('nodejs_version_info', () => [[1, process.version]]),
    metrics.read('nodejs_eventloop_lag_seconds', () => {
      const lag = (at: number): number => Math.max(0, seconds(delay.percentile(at)) - 0.02)
      const reading: Reading = [
        [lag(50), '0.5'],
        [lag(99), '0.99'],
        [Math.max(0, seconds(delay.max) - 0.02), '1'],
      ]
      delay.reset()
      return reading
    }),
  ]
  return () => {
    delay.disable()
    for (const stop of stops) stop()
  }
}
