import { AsyncLocalStorage } from 'node:async_hooks'
import * as api from '@opentelemetry/api'
import { afterEach, expect, test } from 'vitest'
import { openTelemetryTracer } from './open-telemetry.ts'

/** What a program keeps of its spans that has set up an SDK. */
interface Kept {
  readonly name: string
  readonly kind: api.SpanKind | undefined
  readonly id: string
  readonly traceId: string
  readonly parent: api.SpanContext | undefined
  readonly attributes: api.Attributes
  status?: api.SpanStatus
  links: number
  ended: boolean
}

let number = 0

/** The least that an SDK has to do: ids, parents, and a context that follows the work. */
function setUpSdk(): Kept[] {
  const kept: Kept[] = []
  const storage = new AsyncLocalStorage<api.Context>()
  api.context.setGlobalContextManager({
    active: () => storage.getStore() ?? api.ROOT_CONTEXT,
    with: (context, work, self, ...given) => storage.run(context, () => work.apply(self, given)) as never,
    bind: (_, target) => target,
    enable() {
      return this
    },
    disable() {
      return this
    },
  })
  const startSpan: api.Tracer['startSpan'] = (name, options = {}, context = api.context.active()) => {
    const parent = api.trace.getSpanContext(context)
    number += 1
    const id = number.toString(16).padStart(16, '0')
    const span: Kept = {
      name,
      kind: options.kind,
      id,
      traceId: parent?.traceId ?? id.padStart(32, 'a'),
      parent,
      attributes: { ...options.attributes },
      links: options.links?.length ?? 0,
      ended: false,
    }
    kept.push(span)
    const handle = {
      spanContext: () => ({ traceId: span.traceId, spanId: id, traceFlags: 1 }),
      isRecording: () => !span.ended,
      setAttributes: (more: api.Attributes) => Object.assign(span.attributes, more),
      setStatus: (status: api.SpanStatus) => Object.assign(span, { status }),
      addLink: () => Object.assign(span, { links: span.links + 1 }),
      end: () => Object.assign(span, { ended: true }),
    }
    return handle as unknown as api.Span
  }
  api.trace.setGlobalTracerProvider({ getTracer: () => ({ startSpan, startActiveSpan: undefined as never }) })
  return kept
}

afterEach(() => {
  api.trace.disable()
  api.context.disable()
})

test('where a program has set up no SDK there is no tracer', async () => {
  expect(await openTelemetryTracer()).toBeUndefined()
})

test('SEC-67 spans are made with the SDK of the program, as part of its own', async () => {
  const kept = setUpSdk()
  const tracer = await openTelemetryTracer()
  const own = api.trace.getTracer('program').startSpan('own')
  await api.context.with(api.trace.setSpan(api.context.active(), own), async () => {
    const span = tracer?.start('ours', { kind: 'client', attributes: { a: 1, none: undefined } })
    await span?.run(async () => {
      await new Promise((resolve) => setImmediate(resolve))
      // What the program traces within is within.
      api.trace.getTracer('program').startSpan('within').end()
      span.child('child').end()
    })
    span?.fail('Internal', 'why')
    span?.end()
  })
  const named = (name: string) => kept.find((span) => span.name === name) as Kept
  expect(named('ours')).toMatchObject({
    kind: api.SpanKind.CLIENT,
    attributes: { a: 1, 'error.type': 'Internal' },
    ended: true,
  })
  expect(named('ours').attributes).not.toHaveProperty('none')
  expect(named('ours').status).toEqual({ code: api.SpanStatusCode.ERROR, message: 'why' })
  expect(named('ours').parent?.spanId).toBe(named('own').id)
  expect(named('within').parent?.spanId).toBe(named('ours').id)
  expect(named('child').parent?.spanId).toBe(named('ours').id)
})

test('SEC-67 a trace that came from elsewhere goes on; none begins another', async () => {
  const kept = setUpSdk()
  const tracer = await openTelemetryTracer()
  const traceparent = `00-${'b'.repeat(32)}-${'c'.repeat(16)}-01`
  const span = tracer?.start('a', {
    parent: { traceparent, tracestate: 'x=1' },
    links: [{ traceparent }, { traceparent: '?' }],
  })
  span?.link({ traceparent })
  tracer?.start('b', { parent: 'none' })
  expect(kept[0]?.parent).toMatchObject({
    traceId: 'b'.repeat(32),
    spanId: 'c'.repeat(16),
    traceFlags: 1,
    isRemote: true,
  })
  expect(kept[0]?.links).toBe(2)
  expect(span?.traceparent).toBe(`00-${'b'.repeat(32)}-${kept[0]?.id}-01`)
  expect(kept[1]?.parent).toBeUndefined()
})
