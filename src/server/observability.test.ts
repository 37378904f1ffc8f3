import { afterEach, expect, test } from 'vitest'
import { connect } from '../client/connect.ts'
import type { Store } from '../engine/store.ts'
import { keepSpans, readMetrics } from '../observe/testing.ts'
import { A2AError } from '../protocol/errors.ts'
import { openMemoryStore } from '../stores/memory.ts'
import { agent, inputRequired, message, type ServeOptions, type Server, serve, working } from './index.ts'

const secret = 'the secret text of a user'

const echo = agent({
  name: 'Echo',
  description: 'says it again',
  version: '1',
  async *run(task) {
    const text = task.message.parts[0]?.text ?? ''
    if (text === 'direct') yield message('direct answer')
    else if (text === 'ask') yield inputRequired('what?')
    else if (text === 'fail') throw new Error('broken')
    else if (text === 'wait') {
      yield working('started')
      await new Promise((resolve) => task.signal.addEventListener('abort', resolve))
    } else if (text.startsWith('call ')) {
      const other = await connect(text.slice('call '.length))
      const answer = await other.send('direct')
      yield answer.text
    } else yield `you said ${text}`
  },
})

interface Line {
  readonly level: string
  readonly text: string
  readonly fields: Readonly<Record<string, unknown>>
}

function keepLog() {
  const lines: Line[] = []
  const keep =
    (level: string) =>
    (text: string, fields: Line['fields'] = {}) =>
      void lines.push({ level, text, fields })
  return { lines, log: { info: keep('info'), warn: keep('warn'), error: keep('error') } }
}

const open: Server[] = []
async function start(options: ServeOptions = {}): Promise<Server> {
  const server = await serve(echo, { listen: '127.0.0.1:0', ...options })
  open.push(server)
  return server
}
afterEach(async () => {
  for (const server of open.splice(0)) await server.close({ graceMs: 0 })
})

function said(text: string): object {
  return { message: { messageId: crypto.randomUUID(), role: 'ROLE_USER', parts: [{ text }] } }
}

interface Rpc {
  readonly headers?: Readonly<Record<string, string>>
}

async function rpc(url: string, method: string, params: object, { headers = {} }: Rpc = {}) {
  const response = await fetch(`${url}/invoke`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'a2a-version': '1.0', ...headers },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  })
  return JSON.parse(await response.text())
}

async function scrape(server: Server) {
  const response = await fetch(`${server.adminUrl}/metrics`)
  expect(response.status).toBe(200)
  expect(response.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8')
  return readMetrics(await response.text())
}

async function until(check: () => boolean | Promise<boolean>): Promise<void> {
  for (let tries = 0; !(await check()); tries++) {
    if (tries > 400) throw new Error('this does not come about')
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}

test('SEC-67 calls, runs, entries and the store are measured', async () => {
  const server = await start({ adminListen: '127.0.0.1:0' })
  await rpc(server.url, 'SendMessage', said('hello'))
  await rpc(server.url, 'SendMessage', said('direct'))
  await rpc(server.url, 'SendMessage', said('ask'))
  await rpc(server.url, 'SendMessage', said('fail'))
  await rpc(server.url, 'GetTask', { id: 'none' })
  await rpc(server.url, 'GetTask', {})
  await rpc(server.url, 'Nonsense', {})
  await fetch(`${server.url}/tasks?pageSize=5`, { headers: { 'a2a-version': '1.0' } })
  const stream = new AbortController()
  await rpc(server.url, 'SendMessage', { ...said('wait'), configuration: { returnImmediately: true } })
  const reading = fetch(`${server.url}/invoke`, {
    method: 'POST',
    signal: stream.signal,
    headers: { 'content-type': 'application/json', 'a2a-version': '1.0' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'SendStreamingMessage', params: said('wait') }),
  })
  await reading
  await until(async () => (await scrape(server)).get('parlance_runs{state="active"}') === 2)
  const values = await scrape(server)
  const call = (method: string, binding: string, outcome: string) =>
    values.get(`parlance_calls_total{method="${method}",binding="${binding}",outcome="${outcome}"}`)
  expect(call('SendMessage', 'JSONRPC', 'ok')).toBe(5)
  expect(call('SendStreamingMessage', 'JSONRPC', 'ok')).toBe(1)
  expect(call('GetTask', 'JSONRPC', 'TaskNotFound')).toBe(1)
  expect(call('unknown', 'JSONRPC', 'InvalidParams')).toBe(1)
  expect(call('unknown', 'JSONRPC', 'MethodNotFound')).toBe(1)
  expect(call('ListTasks', 'HTTP+JSON', 'ok')).toBe(1)
  expect(values.get('parlance_call_duration_seconds_count{method="SendMessage",binding="JSONRPC"}')).toBe(5)
  expect(values.get('parlance_runs_started_total')).toBe(6)
  const ended = (state: string) => values.get(`parlance_runs_ended_total{state="${state}"}`)
  expect(['completed', 'message', 'input_required', 'failed'].map(ended)).toEqual([1, 1, 1, 1])
  expect(values.get('parlance_tasks_held')).toBe(2)
  expect(values.get('parlance_streams_open')).toBe(1)
  expect(values.get('parlance_subscribers{behind="0"}')).toBe(1)
  expect(values.get('parlance_subscriber_lag_entries')).toBe(0)
  // hello: the message, SUBMITTED, one chunk, COMPLETED; ask: two statuses; fail: two; wait: two each.
  expect(values.get('parlance_events_appended_total{kind="message"}')).toBe(5)
  expect(values.get('parlance_events_appended_total{kind="chunk"}')).toBe(1)
  expect(values.get('parlance_events_appended_total{kind="status"}')).toBe(10)
  expect(
    values.get('parlance_store_operation_duration_seconds_count{operation="append",outcome="ok"}'),
  ).toBeGreaterThan(4)
  expect(values.get('process_resident_memory_bytes')).toBeGreaterThan(1e6)
  stream.abort()
  await until(async () => (await scrape(server)).get('parlance_streams_open') === 0)
  expect((await scrape(server)).get('parlance_subscribers{behind="0"}')).toBe(0)
})

test('SEC-67 /metrics is for those who have its token, or reach the address for it', async () => {
  const bare = await start()
  expect((await fetch(`${bare.url}/metrics`)).status).toBe(404)
  expect(bare.metrics).toBeUndefined()
  const guarded = await start({ metricsToken: 'm' })
  expect((await fetch(`${guarded.url}/metrics`)).status).toBe(401)
  const headers = { authorization: 'Bearer m' }
  const told = await fetch(`${guarded.url}/metrics`, { headers })
  expect(readMetrics(await told.text()).get('parlance_runs_started_total')).toBe(0)
  const admin = await start({ adminListen: '127.0.0.1:0' })
  expect((await fetch(`${admin.url}/metrics`)).status).toBe(404)
  expect((await fetch(`${admin.adminUrl}/invoke`, { method: 'POST' })).status).toBe(404)
  expect((await fetch(`${admin.adminUrl}/metrics`, { method: 'POST' })).status).toBe(405)
  expect(await (await fetch(`${admin.adminUrl}/healthz`)).json()).toEqual({ status: 'ok' })
})

test('/readyz tells how the store is, and that the server is on its way out', async () => {
  let broken = false
  const store: Store = openMemoryStore()
  const { check } = store
  store.check = async () => {
    if (broken) throw new A2AError('Unavailable', 'The database cannot be reached')
    return check.call(store)
  }
  const server = await start({ store, adminListen: '127.0.0.1:0' })
  const ask = async (url: string | undefined) => {
    const response = await fetch(`${url}/readyz`)
    return {
      status: response.status,
      retryAfter: response.headers.get('retry-after'),
      body: JSON.parse(await response.text()),
    }
  }
  for (const url of [server.url, server.adminUrl]) {
    const { status, body } = await ask(url)
    expect(status).toBe(200)
    expect(body).toMatchObject({ status: 'ready', checks: { store: { status: 'up', kind: 'memory' } } })
  }
  broken = true
  await until(async () => (await ask(server.url)).status === 503)
  expect(await ask(server.url)).toEqual({
    status: 503,
    retryAfter: '5',
    body: { status: 'unavailable', checks: { store: { status: 'down', error: 'The database cannot be reached' } } },
  })
  broken = false
  await until(async () => (await ask(server.url)).status === 200)
  await rpc(server.url, 'SendMessage', { ...said('wait'), configuration: { returnImmediately: true } })
  const closing = server.close({ graceMs: 300 })
  const during = await ask(server.adminUrl)
  expect([during.status, during.retryAfter, during.body.status]).toEqual([503, '5', 'draining'])
  await closing
})

test('SEC-67 a call, its run and what the store does for it are one trace, which goes on in the agents that are called', async () => {
  const { tracer, spans } = keepSpans()
  const other = await start({ tracer })
  const server = await start({ tracer })
  const traceId = 'c'.repeat(32)
  const headers = { traceparent: `00-${traceId}-${'d'.repeat(16)}-01`, tracestate: 'vendor=1' }
  const { result } = await rpc(server.url, 'SendMessage', said(`call ${other.url}`), { headers })
  expect(result.task.status.state).toBe('TASK_STATE_COMPLETED')
  await until(() => spans.filter(({ name }) => name === 'invoke_agent Echo').length === 2)
  expect(new Set(spans.map((span) => span.traceId))).toEqual(new Set([traceId]))
  const named = (name: string, kind: string, at = 0) =>
    spans.filter((span) => span.name === name && span.kind === kind)[at]
  const out = named('SendStreamingMessage', 'client')
  const inner = named('SendStreamingMessage', 'server')
  const outer = named('SendMessage', 'server')
  const [innerRun, outerRun] = spans.filter(({ name }) => name === 'invoke_agent Echo')
  expect(outer?.parentId).toBe('d'.repeat(16))
  expect(outerRun?.parentId).toBe(outer?.spanId)
  expect(out?.parentId).toBe(outerRun?.spanId)
  expect(inner?.parentId).toBe(out?.spanId)
  expect(innerRun?.parentId).toBe(inner?.spanId)
  expect(named('store append', 'client')?.parentId).toBe(outerRun?.spanId)
  expect(spans.every(({ tracestate }) => tracestate === 'vendor=1')).toBe(true)
  expect(outerRun?.attributes).toMatchObject({
    'gen_ai.operation.name': 'invoke_agent',
    'gen_ai.agent.name': 'Echo',
    'a2a.task.id': result.task.id,
    'a2a.context.id': result.task.contextId,
    'a2a.task.state': 'completed',
  })
  expect(outer?.attributes).toMatchObject({ 'a2a.protocol.binding': 'JSONRPC', 'a2a.protocol.version': '1.0' })
})

test('a streaming call is a span until its last event; a refused one says why', async () => {
  const { tracer, spans, named } = keepSpans()
  const server = await start({ tracer })
  const stream = await fetch(`${server.url}/invoke`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'a2a-version': '1.0' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'SendStreamingMessage', params: said('wait') }),
  })
  await new Promise((resolve) => setTimeout(resolve, 20))
  expect(spans.map(({ name }) => name)).not.toContain('SendStreamingMessage')
  const { result } = await rpc(server.url, 'ListTasks', {})
  await rpc(server.url, 'CancelTask', { id: result.tasks[0].id })
  await stream.text()
  await until(() => spans.some(({ name }) => name === 'SendStreamingMessage'))
  expect(named('SendStreamingMessage').failure).toBeUndefined()
  await rpc(server.url, 'GetTask', { id: 'none' })
  expect(named('GetTask').attributes).toMatchObject({ 'a2a.task.id': 'none', 'error.type': 'TaskNotFound' })
  // That a caller asks for what is not there is no failure of the server.
  expect(named('GetTask').failure).toBeUndefined()
})

test('a message that has to wait for its run is told by a span of its own, in the trace of its call', async () => {
  const { tracer, spans } = keepSpans()
  const server = await start({ tracer, limits: { runs: 1 } })
  const first = await rpc(server.url, 'SendMessage', { ...said('wait'), configuration: { returnImmediately: true } })
  const traceId = 'e'.repeat(32)
  const headers = { traceparent: `00-${traceId}-${'d'.repeat(16)}-01` }
  const waiting = rpc(server.url, 'SendMessage', said('hello'), { headers })
  await new Promise((resolve) => setTimeout(resolve, 30))
  await rpc(server.url, 'CancelTask', { id: first.result.task.id })
  await waiting
  await until(() => spans.some((span) => span.name === 'SendMessage' && span.traceId === traceId))
  const queue = spans.find(({ name }) => name === 'queue')
  const call = spans.find((span) => span.name === 'SendMessage' && span.traceId === traceId)
  const run = spans.find((span) => span.name === 'invoke_agent Echo' && span.traceId === traceId)
  expect(queue?.parentId).toBe(call?.spanId)
  expect(run?.parentId).toBe(call?.spanId)
  expect((queue?.end ?? 0n) <= (run?.start ?? 0n) + 1_000_000n).toBe(true)
})

test.each([
  ['without being asked to', {}, false],
  ['when asked to', { logContent: true }, true],
])('SEC-67 the log and the spans tell texts of messages %s: %o', async (_, options, told) => {
  const { tracer, spans } = keepSpans()
  const { lines, log } = keepLog()
  const server = await start({ tracer, log, ...options })
  const { result } = await rpc(server.url, 'SendMessage', said(secret))
  await rpc(server.url, 'GetTask', { id: result.task.id })
  const text = JSON.stringify([lines, spans], (_key, value) => (typeof value === 'bigint' ? String(value) : value))
  expect(text.includes(secret)).toBe(told)
})

test('SEC-67 the end of a run is told once, with the ids of task, context and trace', async () => {
  const { tracer, named } = keepSpans()
  const { lines, log } = keepLog()
  const server = await start({ tracer, log })
  const { result } = await rpc(server.url, 'SendMessage', said('fail'))
  const ids = { taskId: result.task.id, contextId: result.task.contextId, traceId: named('invoke_agent Echo').traceId }
  const about = lines.filter(({ fields }) => fields.taskId === ids.taskId)
  expect(about.map(({ level, text }) => [level, text])).toEqual([
    ['error', 'An agent failed'],
    ['info', 'A run ended'],
  ])
  for (const { fields } of about) expect(fields).toMatchObject(ids)
  expect(about[1]?.fields).toMatchObject({ state: 'failed' })
  expect(named('invoke_agent Echo').attributes['error.type']).toBe('failed')
})

test('a slow store is told to the log once, however often it is slow', async () => {
  const { lines, log } = keepLog()
  const store: Store = openMemoryStore()
  const { read } = store
  store.read = async (...given) => {
    await new Promise((resolve) => setTimeout(resolve, 15))
    return read.call(store, ...given)
  }
  const server = await start({ store, log, slowStore: 10 })
  const { result } = await rpc(server.url, 'SendMessage', said('hello'))
  for (let number = 0; number < 3; number++) await rpc(server.url, 'GetTask', { id: result.task.id })
  const slow = lines.filter(({ text }) => text === 'The store is slow')
  expect(slow).toHaveLength(1)
  expect(slow[0]).toMatchObject({ level: 'warn', fields: { operation: 'read', outcome: 'ok' } })
})
