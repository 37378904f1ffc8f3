import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { expect, onTestFinished, test } from 'vitest'
import { silent } from '../lib/log.ts'
import { createOtlpExporter, type OtlpOptions } from './otlp.ts'
import { createTracer } from './tracer.ts'

interface Received {
  readonly path: string
  readonly headers: IncomingMessage['headers']
  readonly body: { resourceSpans: { resource: object; scopeSpans: { spans: Record<string, unknown>[] }[] }[] }
}

async function startCollector(
  answer: (response: ServerResponse, count: number) => void = (response) => response.end('{}'),
) {
  const received: Received[] = []
  const server = createServer((request, response) => {
    text(request).then((body) => {
      received.push({ path: request.url ?? '', headers: request.headers, body: JSON.parse(body) })
      answer(response, received.length)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const stop = () =>
    new Promise<void>((resolve) => {
      server.closeAllConnections()
      server.close(() => resolve())
    })
  onTestFinished(stop)
  const spans = () => received.flatMap(({ body }) => body.resourceSpans[0]?.scopeSpans[0]?.spans ?? [])
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, received, spans, stop }
}

function start(options: Partial<OtlpOptions> & { url: string }) {
  const exporter = createOtlpExporter({ resource: { 'service.name': 'test' }, log: silent, delay: 5, ...options })
  return { exporter, tracer: createTracer({ export: exporter.add }) }
}

test('SEC-67 spans come to the collector in the JSON form of OTLP', async () => {
  const { url, received, spans } = await startCollector()
  const { exporter, tracer } = start({ url, headers: { authorization: 'Bearer x' } })
  const outer = tracer.start('outer', {
    kind: 'server',
    attributes: { text: 'a', count: 3, share: 0.5, yes: true, list: ['x'], none: undefined },
  })
  const inner = outer.child('inner', { links: [outer] })
  inner.fail('Internal', 'why')
  inner.end()
  outer.end()
  await exporter.close()
  expect(received[0]?.path).toBe('/v1/traces')
  expect(received[0]?.headers).toMatchObject({ authorization: 'Bearer x', 'content-type': 'application/json' })
  expect(received[0]?.body.resourceSpans[0]?.resource).toEqual({
    attributes: [{ key: 'service.name', value: { stringValue: 'test' } }],
  })
  const [first, second] = spans()
  const ids = { traceId: outer.traceId, spanId: outer.traceparent.slice(36, 52) }
  expect(first).toMatchObject({
    name: 'inner',
    kind: 1,
    status: { code: 2, message: 'why' },
    parentSpanId: ids.spanId,
    links: [ids],
  })
  expect(second).toMatchObject({ ...ids, name: 'outer', kind: 2 })
  expect(second?.attributes).toEqual([
    { key: 'text', value: { stringValue: 'a' } },
    { key: 'count', value: { intValue: '3' } },
    { key: 'share', value: { doubleValue: 0.5 } },
    { key: 'yes', value: { boolValue: true } },
    { key: 'list', value: { arrayValue: { values: [{ stringValue: 'x' }] } } },
  ])
  expect(second).not.toHaveProperty('parentSpanId')
  expect(String(second?.startTimeUnixNano)).toMatch(/^\d{19}$/)
  expect(exporter.counts).toEqual({ exported: 2, dropped: 0, failed: 0 })
})

test('spans that come together are sent together; what does not fit is dropped and counted', async () => {
  const { url, received, spans } = await startCollector()
  const { exporter, tracer } = start({ url, queue: 10, batch: 100 })
  for (let number = 0; number < 15; number++) tracer.start(`span ${number}`).end()
  await exporter.close()
  expect(received).toHaveLength(1)
  expect(spans()).toHaveLength(10)
  expect(exporter.counts).toEqual({ exported: 10, dropped: 5, failed: 0 })
})

test('a collector that is busy is asked again when it says', async () => {
  const { url, spans, received } = await startCollector((response, count) => {
    if (count === 1) response.writeHead(503, { 'retry-after': '0.01' })
    response.end('{}')
  })
  const { exporter, tracer } = start({ url, batch: 1 })
  tracer.start('a').end()
  while (received.length < 2) await new Promise((resolve) => setTimeout(resolve, 5))
  await exporter.close()
  expect(spans().map(({ name }) => name)).toEqual(['a', 'a'])
  expect(exporter.counts).toEqual({ exported: 1, dropped: 0, failed: 0 })
})

test.each([
  ['refuses them', 'http', 'HTTP status 400'],
  ['is not there', 'none', 'ECONNREFUSED'],
])('a collector that %s is told to the log once, and costs nothing else', async (_, kind, reason) => {
  const warnings: unknown[] = []
  const log = { ...silent, warn: (message: string, fields: unknown) => void warnings.push([message, fields]) }
  const { url, stop } = await startCollector((response) => response.writeHead(400).end())
  if (kind === 'none') await stop()
  const { exporter, tracer } = start({ url, log, batch: 1 })
  for (let number = 0; number < 3; number++) tracer.start('a').end()
  await exporter.close()
  expect(warnings).toEqual([['The collector of traces takes no spans', { reason }]])
  expect(exporter.counts).toEqual({ exported: 0, dropped: 0, failed: 3 })
})

test.each([['localhost:4318'], ['grpc://host:4317'], ['']])('the collector %j is refused', (url) => {
  expect(() => start({ url })).toThrow('otlp: must be a URL')
})
