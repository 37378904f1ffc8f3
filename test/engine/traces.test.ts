import { expect, test } from 'vitest'
import { type Executor, working } from '../../src/engine/executor.ts'
import { Metrics } from '../../src/observe/metrics.ts'
import { keepSpans } from '../../src/observe/testing.ts'
import { clusterKinds, openCluster } from '../cluster.ts'
import { createHarness, delay, textOf, until } from '../harness.ts'

const slow: Executor = async function* (task) {
  yield working()
  if (textOf(task.message) === 'stay') {
    if (!task.resumed) await new Promise((resolve) => task.signal.addEventListener('abort', resolve))
    if (task.signal.aborted) return
  }
  await delay(textOf(task.message) === 'first' ? 400 : 20)
  yield 'done'
}

const traceparent = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`
const atOnce = { configuration: { returnImmediately: true } }

test.each(clusterKinds)(
  'SEC-67 a run belongs to the trace of its message that came to another process, over %s',
  async (kind) => {
    const cluster = await openCluster(kind)
    const { tracer, spans } = keepSpans()
    const here = await createHarness(slow, { store: await cluster.open(), telemetry: { tracer } })
    const there = await createHarness(slow, { store: await cluster.open() })
    const { id: taskId } = await here.sendTask('first', atOnce)
    await there.sendTask('second', { message: { taskId }, context: { headers: { traceparent } } })
    const runs = () => spans.filter(({ name }) => name === 'invoke_agent tested')
    await until(async () => runs().length === 2)
    expect(runs()[0]?.parentId).toBeUndefined()
    expect(runs()[1]).toMatchObject({ traceId: 'a'.repeat(32), parentId: 'b'.repeat(16) })
    // It had to wait for the first run.
    expect(spans.find(({ name, traceId }) => name === 'queue' && traceId === 'a'.repeat(32))).toBeDefined()
  },
)

test('what becomes of runs is counted, also of those that another process goes on with', async () => {
  const cluster = await openCluster('memory')
  const open = async () => {
    const metrics = new Metrics()
    const harness = await createHarness(slow, {
      store: await cluster.open(),
      telemetry: { meter: metrics },
      resumable: true,
      limits: { sweepEvery: 20 },
    })
    const value = (name: string, state?: string) =>
      metrics
        .data()
        .find((metric) => metric.name === name)
        ?.values.find(({ labels }) => state === undefined || labels.state === state)?.value
    return { harness, value }
  }
  const one = await open()
  const two = await open()
  const { id } = await one.harness.sendTask('stay', atOnce)
  await one.harness.sendTask('quick')
  expect(one.value('parlance_runs_ended_total', 'completed')).toBe(1)
  await one.harness.engine.close()
  expect(one.value('parlance_runs_ended_total', 'handed_over')).toBe(1)
  await until(async () => (await two.harness.get(id)).status.state === 'TASK_STATE_COMPLETED')
  expect(two.value('parlance_tasks_taken_over_total')).toBe(1)
  expect(two.value('parlance_runs_ended_total', 'completed')).toBe(1)
  expect(two.harness.engine.stats()).toMatchObject({ runs: { active: 0, waiting: 0 }, queued: 0, behind: [] })
})
