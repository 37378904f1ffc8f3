import { expect, test } from 'vitest'
import { type MetricName, metricTable } from './metric-table.ts'
import { Metrics, metricsText } from './metrics.ts'
import { readMetrics } from './testing.ts'

test('a metric that was never touched is there as 0, unless its labels are not known', async () => {
  const values = readMetrics(await metricsText([new Metrics().data()]))
  expect(values.get('parlance_runs_started_total')).toBe(0)
  expect(values.get('parlance_run_duration_seconds_bucket{le="+Inf"}')).toBe(0)
  expect([...values.keys()].some((name) => name.startsWith('parlance_calls_total'))).toBe(false)
})

test('values add up by their labels; buckets hold all that lies below them', async () => {
  const metrics = new Metrics()
  metrics.add('parlance_calls_total', 1, 'GetTask', 'GRPC', 'ok')
  metrics.add('parlance_calls_total', 2, 'GetTask', 'GRPC', 'ok')
  metrics.add('parlance_calls_total', 1, 'GetTask', 'GRPC', 'TaskNotFound')
  for (const seconds of [0.001, 0.002, 3, 100]) {
    metrics.record('parlance_call_duration_seconds', seconds, 'GetTask', 'GRPC')
  }
  const values = readMetrics(await metricsText([metrics.data()]))
  expect(values.get('parlance_calls_total{method="GetTask",binding="GRPC",outcome="ok"}')).toBe(3)
  expect(values.get('parlance_calls_total{method="GetTask",binding="GRPC",outcome="TaskNotFound"}')).toBe(1)
  const bucket = (le: string) =>
    values.get(`parlance_call_duration_seconds_bucket{method="GetTask",binding="GRPC",le="${le}"}`)
  expect(['0.001', '0.0025', '2.5', '5', '30', '+Inf'].map(bucket)).toEqual([1, 2, 2, 3, 3, 4])
  expect(values.get('parlance_call_duration_seconds_count{method="GetTask",binding="GRPC"}')).toBe(4)
  expect(values.get('parlance_call_duration_seconds_sum{method="GetTask",binding="GRPC"}')).toBeCloseTo(103.003)
})

test('several processes are told as one: what counts is added, the longest lag is the lag', async () => {
  const processes = [3, 5].map((number) => {
    const metrics = new Metrics()
    metrics.add('parlance_runs_started_total', number)
    metrics.record('parlance_run_duration_seconds', number)
    metrics.read('parlance_runs', () => [[number, 'active']])
    metrics.read('parlance_subscriber_lag_entries', () => [[number]])
    // Data of other processes comes as JSON.
    return JSON.parse(JSON.stringify(metrics.data()))
  })
  const values = readMetrics(await metricsText(processes))
  expect(values.get('parlance_runs_started_total')).toBe(8)
  expect(values.get('parlance_runs{state="active"}')).toBe(8)
  expect(values.get('parlance_subscriber_lag_entries')).toBe(5)
  expect(values.get('parlance_run_duration_seconds_bucket{le="5"}')).toBe(2)
  expect(values.get('parlance_run_duration_seconds_count')).toBe(2)
})

test('a gauge that is read no more is gone', () => {
  const metrics = new Metrics()
  const stop = metrics.read('parlance_tasks_held', () => [[7]])
  const held = () => metrics.data().find(({ name }) => name === 'parlance_tasks_held')?.values
  expect(held()).toEqual([{ labels: {}, value: 7 }])
  stop()
  expect(held()).toBeUndefined()
})

test('labels are those of the table', () => {
  expect(() => new Metrics().add('parlance_calls_total', 1, 'GetTask')).toThrow('method, binding, outcome')
})

test.each(Object.keys(metricTable) as MetricName[])('%s is named as Prometheus wants it', (name) => {
  const { kind, labels, buckets = [], help } = metricTable[name]
  expect(name).toMatch(/^[a-z][a-z0-9_]+$/)
  expect(name.endsWith('_total')).toBe(kind === 'counter')
  expect(buckets.length > 0).toBe(kind === 'histogram')
  expect([...buckets].sort((a, b) => a - b)).toEqual(buckets)
  expect(labels.length).toBeLessThanOrEqual(3)
  expect(help).toMatch(/\.$/)
})
