import { expect, test } from 'vitest'
import { activeSpan, childSpan, readTraceParent } from '../lib/trace.ts'
import { keepSpans } from './testing.ts'

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736'
const remote = `00-${traceId}-00f067aa0ba902b7-01`

test.each([
  [remote, remote],
  [`00-${traceId}-00f067aa0ba902b7-00`, `00-${traceId}-00f067aa0ba902b7-00`],
  [`cc-${traceId}-00f067aa0ba902b7-01-what-later-versions-add`, `cc-${traceId}-00f067aa0ba902b7-01`],
  [undefined, undefined],
  ['', undefined],
  [remote.toUpperCase(), undefined],
  [`ff-${traceId}-00f067aa0ba902b7-01`, undefined],
  [`00-${'0'.repeat(32)}-00f067aa0ba902b7-01`, undefined],
  [`00-${traceId}-${'0'.repeat(16)}-01`, undefined],
  [`00-${traceId}-00f067aa0ba902b7`, undefined],
])('SEC-67 the header traceparent %s is read as %s', (traceparent, read) => {
  expect(readTraceParent({ traceparent })?.traceparent).toBe(read)
})

test('SEC-67 a span goes on with the trace that came from elsewhere, and hands its state on', () => {
  const { tracer, spans } = keepSpans()
  const span = tracer.start('a', { parent: { traceparent: remote, tracestate: 'vendor=1' } })
  const child = span.child('b')
  child.end()
  span.end()
  expect(spans.map(({ name, traceId: id }) => [name, id])).toEqual([
    ['b', traceId],
    ['a', traceId],
  ])
  const [inner, outer] = spans
  expect(inner?.parentId).toBe(outer?.spanId)
  expect(outer?.parentId).toBe('00f067aa0ba902b7')
  expect(child.tracestate).toBe('vendor=1')
  expect(child.traceparent).toBe(`00-${traceId}-${inner?.spanId}-01`)
})

test('a trace that is not kept elsewhere is not kept here, but handed on', () => {
  const { tracer, spans } = keepSpans()
  const span = tracer.start('a', { parent: { traceparent: remote.replace(/01$/, '00') } })
  expect(span.recording).toBe(false)
  expect(span.traceparent).toMatch(new RegExp(`^00-${traceId}-[0-9a-f]{16}-00$`))
  span.end()
  expect(spans).toEqual([])
})

test('the span at work is found wherever its work goes on, and nowhere else', async () => {
  const { tracer, named } = keepSpans()
  const outer = tracer.start('outer')
  await outer.run(async () => {
    await new Promise((resolve) => setImmediate(resolve))
    expect(activeSpan()).toBe(outer)
    const inner = childSpan('inner')
    await inner?.run(async () => expect(activeSpan()).toBe(inner))
    inner?.end()
    tracer.start('apart', { parent: 'none' }).end()
  })
  expect(activeSpan()).toBeUndefined()
  expect(childSpan('none')).toBeUndefined()
  outer.end()
  expect(named('inner').parentId).toBe(named('outer').spanId)
  expect(named('apart').traceId).not.toBe(named('outer').traceId)
})

test('of new traces, the share that was asked for is kept', () => {
  const none = keepSpans({ ratio: 0 })
  none.tracer.start('a').end()
  expect(none.spans).toEqual([])
  const all = keepSpans({ ratio: 1 })
  all.tracer.start('a').end()
  expect(all.spans).toHaveLength(1)
})

test('a span ends once, never before it began, and keeps what was said of it', () => {
  const { tracer, spans } = keepSpans()
  const span = tracer.start('a', { startTime: Date.now() + 60_000, attributes: { one: 1 } })
  span.set({ two: 'x' })
  span.link({ traceparent: remote })
  span.fail('TaskNotFound', 'no such task')
  span.end()
  span.end()
  expect(spans).toHaveLength(1)
  const [{ start, end, attributes, links, failure }] = spans as [(typeof spans)[0]]
  expect(end).toBe(start)
  expect(attributes).toEqual({ one: 1, two: 'x', 'error.type': 'TaskNotFound' })
  expect(links).toEqual([{ traceparent: remote }])
  expect(failure).toEqual({ text: 'no such task' })
})
