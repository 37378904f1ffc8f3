import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { describe, expect, onTestFinished, test } from 'vitest'
import { silent } from '../lib/log.ts'
import { createOutput, type Output } from './output.ts'
import { createServeLog } from './serve-log.ts'
import { logOptions, startTracing, watchOptions } from './watch-flags.ts'

function outputFor(lines: string[]): Output {
  const stream = {
    isTTY: false,
    columns: 80,
    write: (written: string) => {
      lines.push(written)
      return true
    },
    once: () => {},
    on: () => {},
  }
  return createOutput({ json: false, out: stream, err: stream, env: {} })
}

/** Variables that hold while the test runs. */
function withEnvironment(values: Readonly<Record<string, string>>): void {
  const before = Object.keys(values).map((name) => [name, process.env[name]] as const)
  Object.assign(process.env, values)
  onTestFinished(() => {
    for (const [name, value] of before) {
      if (value === undefined) delete process.env[name]
      else process.env[name] = value
    }
  })
}

describe('how the log is written', () => {
  test.each([
    [{}, false, { json: false, debug: false, level: 'warn' }],
    [{}, true, { json: true, debug: false, level: 'info' }],
    [{ debug: true }, false, { json: false, debug: true, level: 'info' }],
    [{ logFormat: 'json' }, false, { json: true, debug: false, level: 'info' }],
    [{ logFormat: 'text' }, true, { json: false, debug: false, level: 'warn' }],
    [{ logFormat: 'json', logLevel: 'error' }, false, { json: true, debug: false, level: 'error' }],
    [{ logLevel: 'info' }, false, { json: false, debug: false, level: 'info' }],
  ])('%o with --json %s is %o', (flags, json, options) => {
    expect(logOptions(flags, json)).toEqual(options)
  })

  test.each([
    ['error', ['error: c']],
    ['warn', ['warning: b', 'error: c']],
    ['info', ['info: a', 'warning: b', 'error: c']],
  ] as const)('at level %s it tells %o', async (level, told) => {
    const lines: string[] = []
    const log = await createServeLog(outputFor(lines), { json: false, debug: false, level })
    log.info('a')
    log.warn('b')
    log.error('c')
    expect(lines.map((line) => line.trim())).toEqual(told)
  })
})

describe('what is told, and where', () => {
  test('the token for metrics may be in the environment; the flag comes first', () => {
    expect(watchOptions({})).toEqual({})
    withEnvironment({ PARLANCE_METRICS_TOKEN: 'there' })
    expect(watchOptions({ adminListen: ':9090' })).toEqual({ adminListen: ':9090', metricsToken: 'there' })
    expect(watchOptions({ metricsToken: 'here', logContent: true })).toEqual({ metricsToken: 'here', logContent: true })
  })

  const agent = { name: 'Echo', version: '2' }

  test('without a collector there are no traces', async () => {
    expect(await startTracing({}, { agent, log: silent })).toBeUndefined()
  })

  test.each([
    [{ otlp: 'localhost' }, /^--otlp: must be a URL/],
    [{ otlp: 'http://localhost:4318', traceRatio: 'all' }, /^--trace-ratio: "all"/],
    [{ otlp: 'http://localhost:4318', traceRatio: '1.5' }, /^--trace-ratio: "1.5"/],
  ])('%o is refused', async (flags, error) => {
    await expect(startTracing(flags, { agent, log: silent })).rejects.toThrow(error)
  })

  test('SEC-67 the standard variables name the collector, its headers and the service', async () => {
    const requests: { url: string | undefined; key: unknown; body: string }[] = []
    const server = createServer((request, response) => {
      text(request).then((body) => {
        requests.push({ url: request.url, key: request.headers['x-key'], body })
        response.end('{}')
      })
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => {
      server.closeAllConnections()
      server.close()
    })
    withEnvironment({
      OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${(server.address() as AddressInfo).port}/base/`,
      OTEL_EXPORTER_OTLP_HEADERS: 'X-Key=a%20b, broken',
      OTEL_SERVICE_NAME: 'named',
    })
    const tracing = await startTracing({}, { agent, log: silent })
    tracing?.tracer.start('a').end()
    await tracing?.close()
    expect(requests).toHaveLength(1)
    expect(requests[0]).toMatchObject({ url: '/base/v1/traces', key: 'a b' })
    expect(requests[0]?.body).toContain('{"key":"service.name","value":{"stringValue":"named"}}')
    expect(requests[0]?.body).toContain('{"key":"service.version","value":{"stringValue":"2"}}')
    expect(tracing?.spanCounts()).toEqual({ exported: 1, dropped: 0, failed: 0 })
  })
})
