import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { networkInterfaces } from 'node:os'
import { afterEach, expect, test } from 'vitest'
import { openMemoryStore } from '../stores/memory.ts'
import {
  agent,
  createHandler,
  inputRequired,
  message,
  type ServeOptions,
  type Server,
  serve,
  working,
} from './index.ts'
import { connectRaw } from './testing.ts'

async function jsonOf(response: Response) {
  return JSON.parse(await response.text())
}

const echo = agent({
  name: 'Echo',
  description: 'says it again',
  version: '1',
  async *run(task) {
    const [part] = task.message.parts
    const text = part?.text ?? ''
    if (text === 'direct') yield message('direct answer')
    else if (text === 'ask') yield inputRequired('what?')
    else if (text === 'slow') {
      yield working('started')
      await new Promise((resolve) => setTimeout(resolve, 150))
      yield 'finished'
    } else if (text === 'endless') {
      yield working('started')
      await new Promise((resolve) => task.signal.addEventListener('abort', resolve))
    } else {
      yield 'you said '
      yield text
    }
  },
})

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

async function rpc(
  url: string,
  method: string,
  params: unknown,
  headers: Record<string, string> = {},
): Promise<Response> {
  return await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'a2a-version': '1.0', ...headers },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  })
}

test('EQ-02 what is made through one binding is seen through the other, at the URLs of the card', async () => {
  const server = await start()
  const card = await jsonOf(await fetch(server.cardUrl))
  const [jsonRpc, rest] = card.supportedInterfaces.map(({ url }: { url: string }) => url)
  const sent = await jsonOf(await rpc(jsonRpc, 'SendMessage', said('hi')))
  const { task } = sent.result
  expect(task.artifacts[0].parts).toEqual([{ text: 'you said hi' }])
  const read = await fetch(`${rest}/tasks/${task.id}`, { headers: { 'a2a-version': '1.0' } })
  expect(await jsonOf(read)).toEqual(task)
  const direct = await jsonOf(await rpc(jsonRpc, 'SendMessage', said('direct')))
  expect(direct.result.message.parts).toEqual([{ text: 'direct answer' }])
})

test('SSE-02 a stream carries numbers that resume it', async () => {
  const server = await start()
  const text = await (await rpc(`${server.url}/invoke`, 'SendStreamingMessage', said('hi'))).text()
  const frames = text
    .trim()
    .split('\n\n')
    .map((frame) => {
      const [, id, data] = /^id: (\d+)\ndata: (.+)$/.exec(frame) ?? []
      return { id: Number(id), result: JSON.parse(data ?? '').result }
    })
  expect(frames.at(-1)?.result.statusUpdate.status.state).toBe('TASK_STATE_COMPLETED')
  const at = frames[1]?.id ?? 0
  const { id } = frames[0]?.result.task ?? {}
  const again = await rpc(`${server.url}/invoke`, 'SubscribeToTask', { id }, { 'last-event-id': `${at}` })
  const ids = [...(await again.text()).matchAll(/^id: (\d+)$/gm)].map(([, number]) => Number(number))
  expect(ids).toEqual(frames.map((frame) => frame.id).filter((number) => number >= at))
})

test('ERR-16 SEC-12 with tokens, each holder sees own tasks only', async () => {
  const server = await start({ tokens: ['one', { token: 'two', name: 'bob' }] })
  const url = `${server.url}/invoke`
  expect((await rpc(url, 'SendMessage', said('hi'))).status).toBe(401)
  const one = { authorization: 'Bearer one' }
  const { result } = await jsonOf(await rpc(url, 'SendMessage', said('hi'), one))
  const read = async (headers: Record<string, string>): Promise<number | undefined> =>
    (await jsonOf(await rpc(url, 'GetTask', { id: result.task.id }, headers))).error?.code
  expect(await read(one)).toBeUndefined()
  expect(await read({ authorization: 'Bearer two' })).toBe(-32001)
})

for (const query of ['pageSize=0', 'pageSize=101', 'pageSize=-1', 'pageToken=zzz', 'status=TASK_STATE_RUNNING']) {
  test(`LIST-06 LIST-07 LIST-19 ${query} is refused alike by both bindings`, async () => {
    const server = await start()
    const [name = '', value = ''] = query.split('=')
    const params = { [name]: name === 'pageSize' ? Number(value) : value }
    const { error } = await jsonOf(await rpc(`${server.url}/invoke`, 'ListTasks', params))
    const rest = await fetch(`${server.url}/tasks?${query}`, { headers: { 'a2a-version': '1.0' } })
    const { error: restError } = await jsonOf(rest)
    expect([error.code, rest.status, restError.status]).toEqual([-32602, 400, 'INVALID_ARGUMENT'])
    expect(restError.message).toBe(error.message)
    expect(error.data[0].fieldViolations[0].field).toBe(name)
  })
}

test('REST-24 tenants are apart', async () => {
  const server = await start({ tenants: ['acme'] })
  const headers = { 'a2a-version': '1.0', 'content-type': 'application/json' }
  const post = { method: 'POST', headers, body: JSON.stringify(said('hi')) }
  const { task } = await jsonOf(await fetch(`${server.url}/acme/message:send`, post))
  expect((await fetch(`${server.url}/acme/tasks/${task.id}`, { headers })).status).toBe(200)
  expect((await fetch(`${server.url}/tasks/${task.id}`, { headers })).status).toBe(404)
})

test('Case 18 behind a wildcard the card names the host that was asked, and the real port', async () => {
  const server = await start({ listen: ':0' })
  const { port } = new URL(server.url)
  expect(server.url).toBe(`http://localhost:${port}`)
  const addresses = Object.values(networkInterfaces())
    .flatMap((list) => list ?? [])
    .filter(({ family }) => family === 'IPv4')
  for (const { address } of addresses) {
    const card = await jsonOf(await fetch(`http://${address}:${port}/.well-known/agent-card.json`))
    const [first] = card.supportedInterfaces
    expect(first.url).toBe(`http://${address}:${port}/invoke`)
    expect((await jsonOf(await rpc(first.url, 'SendMessage', said('hi')))).result.task.status.state).toBe(
      'TASK_STATE_COMPLETED',
    )
  }
  const named = await start({ publicUrl: 'https://agents.example/echo' })
  expect([named.url, named.cardUrl]).toEqual([
    'https://agents.example/echo',
    'https://agents.example/echo/.well-known/agent-card.json',
  ])
})

test('a server that closes lets runs finish, and their streams with them', async () => {
  const server = await start()
  const stream = await rpc(`${server.url}/invoke`, 'SendStreamingMessage', said('slow'))
  const blocking = rpc(`${server.url}/invoke`, 'SendMessage', said('slow'))
  await new Promise((resolve) => setTimeout(resolve, 40))
  const closing = server.close({ graceMs: 5_000 })
  const text = await stream.text()
  expect(text).toContain('finished')
  expect(text).toContain('TASK_STATE_COMPLETED')
  expect((await jsonOf(await blocking)).result.task.status.state).toBe('TASK_STATE_COMPLETED')
  await closing
  await expect(fetch(server.cardUrl)).rejects.toThrow()
})

test('a server that is given a delay says first that it ends, and takes calls as before, each on a new connection', async () => {
  const server = await start()
  const ready = (): Promise<Response> => fetch(`${server.url}/readyz`)
  expect((await ready()).headers.get('connection')).toBe('keep-alive')
  const closing = server.close({ delayMs: 300, graceMs: 5_000 })
  const draining = await ready()
  expect([draining.status, draining.headers.get('connection')]).toEqual([503, 'close'])
  expect(Number(draining.headers.get('retry-after'))).toBeGreaterThan(0)
  expect((await jsonOf(draining)).status).toBe('draining')
  const sent = await jsonOf(await rpc(`${server.url}/invoke`, 'SendMessage', said('slow')))
  expect(sent.result.task.status.state).toBe('TASK_STATE_COMPLETED')
  await closing
  await expect(ready()).rejects.toThrow()
})

test('a server that ends refuses what is sent on a connection that is kept, and says when to send again', async () => {
  const server = await start()
  const url = new URL(server.url)
  const call = (method: string, params: object): string => {
    const text = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
    const head = `POST /invoke HTTP/1.1\r\nHost: x\r\nA2A-Version: 1.0\r\nContent-Type: application/json\r\n`
    return `${head}Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`
  }
  const client = connectRaw(Number(url.port))
  client.write(call('SendMessage', said('slow')))
  await new Promise((resolve) => setTimeout(resolve, 40))
  const closing = server.close({ graceMs: 5_000 })
  client.write(call('SendMessage', said('late')))
  const text = await client.closed()
  expect(text).toContain('finished')
  expect(text).toMatch(/retry-after: \d+/i)
  expect(text).toContain('shutting down')
  await closing
})

test('a run that does not end in time is ended, its stream too, and closing twice is closing once', async () => {
  const server = await start()
  const stream = await rpc(`${server.url}/invoke`, 'SendStreamingMessage', said('endless'))
  const [text] = await Promise.all([stream.text(), server.close({ graceMs: 30 }), server.close()])
  expect(text).toContain('started')
})

test('a store that was handed in stays open', async () => {
  const store = openMemoryStore()
  const first = await start({ store })
  const { result } = await jsonOf(await rpc(`${first.url}/invoke`, 'SendMessage', said('ask')))
  await first.close({ graceMs: 0 })
  const second = await start({ store })
  const { result: task } = await jsonOf(await rpc(`${second.url}/invoke`, 'GetTask', { id: result.task.id }))
  expect(task.status.state).toBe('TASK_STATE_INPUT_REQUIRED')
  await store.close()
})

test('wrong settings are refused before anything runs; an open door is told to the log', async () => {
  await expect(start({ listen: 'nowhere' })).rejects.toThrow(TypeError)
  await expect(start({ store: 'redis' as 'memory' })).rejects.toThrow(TypeError)
  await expect(start({ store: 'sqlite:' })).rejects.toThrow(TypeError)
  await expect(start({ tokens: [] })).rejects.toThrow(TypeError)
  await expect(start({ publicUrl: 'x' })).rejects.toThrow(TypeError)
  const warned: string[] = []
  const log = { info() {}, warn: (text: string) => void warned.push(text), error() {} }
  await start({ log })
  expect(warned).toEqual([])
  await start({ listen: ':0', tokens: ['t'], log })
  expect(warned).toEqual([])
  await start({ listen: ':0', log })
  expect(warned).toEqual([expect.stringContaining('set tokens')])
})

test('a handler works in a server of somebody else, and as fetch', async () => {
  const handler = await createHandler(echo)
  const server = createServer(handler.node)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const { result } = await jsonOf(await rpc(`http://127.0.0.1:${port}/invoke`, 'SendMessage', said('hi')))
  const read = await handler.fetch(new Request(`https://fn.example/tasks/${result.task.id}?A2A-Version=1.0`))
  expect((await jsonOf(read)).status.state).toBe('TASK_STATE_COMPLETED')
  const stream = await rpc(`http://127.0.0.1:${port}/invoke`, 'SendStreamingMessage', said('hi'))
  expect(await stream.text()).toContain('you said')
  server.closeAllConnections()
  server.close()
  await handler.close({ graceMs: 0 })
})
