import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { serve as serveHono } from '@hono/node-server'
import express from 'express'
import fastify from 'fastify'
import { Hono } from 'hono'
import { afterEach, expect, test } from 'vitest'
import { createFakeEndpoint } from '../bindings/testing.ts'
import { toExpress } from './express.ts'
import { toFastify } from './fastify.ts'
import { toHono } from './hono.ts'
import { createHttpServer } from './server.ts'
import { testAgent } from './testing.ts'

async function jsonOf(response: Response) {
  return JSON.parse(await response.text())
}

const message = { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'ü' }] }
const call = { jsonrpc: '2.0', id: 1, method: 'SendMessage', params: { message } }
const closers: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const close of closers.splice(0)) await close()
})

function create(): {
  endpoint: ReturnType<typeof createFakeEndpoint>
  handle: ReturnType<typeof createHttpServer>['handle']
} {
  const endpoint = createFakeEndpoint()
  return { endpoint, handle: createHttpServer(testAgent, { endpoint, bodyLimit: 5_000 }).handle }
}

async function listenOn(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  closers.push(() => {
    server.closeAllConnections()
    return new Promise((resolve) => server.close(resolve))
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

function post(url: string, body: unknown, type = 'application/json'): Promise<Response> {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  return fetch(url, { method: 'POST', headers: { 'content-type': type, 'a2a-version': '1.0' }, body: text })
}

/** What every host program must be able to do. */
async function checkHost(base: string): Promise<void> {
  const card = await jsonOf(await fetch(`${base}/.well-known/agent-card.json`))
  const urls = card.supportedInterfaces.map(({ url }: { url: string }) => url)
  // The same in each version.
  expect([...new Set(urls)]).toEqual([`${base}/invoke`, base])
  for (const type of ['application/json', 'application/a2a+json', 'application/json; charset=utf-8']) {
    expect((await jsonOf(await post(`${base}/invoke`, call, type))).result).toBeDefined()
  }
  expect((await post(`${base}/message:send`, { message })).status).toBe(200)
  const cancel = await fetch(`${base}/tasks/a%2Fb:cancel`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'a2a-version': '1.0' },
  })
  expect(cancel.status).toBe(200)
  const stream = await post(`${base}/message:stream`, { message })
  expect(stream.headers.get('content-type')).toBe('text/event-stream')
  expect(await stream.text()).toMatch(/^id: 1\ndata: .+\n\nid: 2\ndata: .+\n\n$/)
  expect((await fetch(`${base}/tasks?pageSize=2&A2A-Version=1.0`)).status).toBe(200)
  const plain = await post(`${base}/invoke`, 'x', 'text/plain')
  expect([plain.status, (await jsonOf(plain)).error.code]).toEqual([415, -32005])
}

test('Express, mounted, with the bodies still unread', async () => {
  const { handle, endpoint } = create()
  const app = express()
  app.use('/agents/echo', toExpress(handle))
  const base = await listenOn(createServer(app))
  await checkHost(`${base}/agents/echo`)
  expect(endpoint.calls.some(({ request }) => 'id' in request && request.id === 'a/b')).toBe(true)
  expect((await post(`${base}/agents/echo/invoke`, '{')).status).toBe(200)
  expect((await post(`${base}/agents/echo/invoke`, ' '.repeat(6_000))).status).toBe(413)
})

test('Express, at the root, behind express.json(), which leaves other paths to others', async () => {
  const { handle, endpoint } = create()
  const app = express()
  app.use(express.json())
  app.use(toExpress(handle))
  app.get('/mine', (_request, response) => void response.send('mine'))
  app.post('/mine', (request, response) => void response.json(request.body))
  const base = await listenOn(createServer(app))
  await checkHost(base)
  expect(endpoint.calls[0]?.request).toEqual({ message })
  expect(await (await fetch(`${base}/mine`)).text()).toBe('mine')
  expect(await jsonOf(await post(`${base}/mine`, { a: 1 }))).toEqual({ a: 1 })
})

test('Express, behind something that read the body and kept it', async () => {
  const { handle } = create()
  const app = express()
  app.use((request, _response, next) => void request.resume().on('end', next))
  app.use(toExpress(handle))
  const base = await listenOn(createServer(app))
  const { error } = await jsonOf(await post(`${base}/invoke`, call))
  expect([error.code, error.message]).toEqual([-32600, expect.stringContaining('was read before it came here')])
})

for (const prefix of ['/agents/echo', '']) {
  test(`Fastify ${prefix === '' ? 'at the root' : 'with a prefix'}, whose own routes keep their parsers`, async () => {
    const { handle } = create()
    const app = fastify()
    closers.push(() => app.close())
    app.post('/mine', async (request) => request.body)
    await app.register(toFastify(handle) as never, { prefix })
    const base = await app.listen({ port: 0, host: '127.0.0.1' })
    await checkHost(`${base}${prefix}`)
    expect(await jsonOf(await post(`${base}/mine`, { a: 1 }))).toEqual({ a: 1 })
    expect((await post(`${base}${prefix}/invoke`, ' '.repeat(6_000))).status).toBe(413)
  })
}

test('Hono on Node', async () => {
  const { handle } = create()
  const app = new Hono()
  app.get('/mine', (context) => context.text('mine'))
  app.all('/agents/echo/*', toHono(handle, { mount: '/agents/echo' }))
  const server = await new Promise<Server>((resolve) => {
    const started = serveHono({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' }, () => resolve(started as Server))
  })
  closers.push(() => {
    server.closeAllConnections()
    return new Promise((resolve) => server.close(resolve))
  })
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  await checkHost(`${base}/agents/echo`)
  expect(await (await fetch(`${base}/mine`)).text()).toBe('mine')
})
