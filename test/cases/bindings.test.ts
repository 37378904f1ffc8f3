import { describe, expect, it } from 'vitest'
import type { Store } from '../../src/engine/store.ts'
import { type PlainRequest, plainRequest } from './plain-http.ts'
import { openStream, shapes } from './raw-stream.ts'
import { serve } from './served.ts'
import { callerOf, sendRequest } from './wire.ts'

const json = { 'content-type': 'application/json', 'a2a-version': '1.0' }

async function ask(
  url: string,
  request: PlainRequest,
): Promise<{ status: number; type: string | undefined; body: Record<string, unknown> }> {
  const { status, headers, text } = await plainRequest(url, { headers: json, ...request })
  return { status, type: headers['content-type'], body: JSON.parse(text) }
}

describe('JSON-RPC', () => {
  const rpc = (method: string, params?: unknown, id: unknown = 1): PlainRequest => ({
    path: '/invoke',
    body: JSON.stringify({ jsonrpc: '2.0', id, method, params }),
  })

  it.each([1, 0, -1, 1.5, '', 'a', 'ü"\\', null, 9_007_199_254_740_991])(
    'the id %j comes back with results, errors and frames (JRPC-05, JRPC-06, JRPC-07)',
    async (id) => {
      const served = await serve()
      expect(await ask(served.url, rpc('ListTasks', undefined, id))).toMatchObject({
        status: 200,
        type: 'application/json',
        body: { jsonrpc: '2.0', id, result: { totalSize: 0 } },
      })
      expect((await ask(served.url, rpc('GetTask', { id: 'x' }, id))).body).toMatchObject({
        jsonrpc: '2.0',
        id,
        error: { code: -32001 },
      })
      const stream = await openStream(callerOf(served, 'JSONRPC'), 'SendStreamingMessage', sendRequest('done'), { id })
      const frames = await stream.rest()
      expect(frames.map(({ requestId }) => requestId)).toEqual([id, id])
    },
  )

  it('a send is wrapped, a task read or canceled is bare (JRPC-24, GET-01, CANC-01)', async () => {
    const { url } = await serve()
    const sent = (await ask(url, rpc('SendMessage', sendRequest('status:INPUT_REQUIRED:which?')))).body.result as {
      task: { id: string }
    }
    expect(Object.keys(sent)).toEqual(['task'])
    const { id } = sent.task
    expect((await ask(url, rpc('GetTask', { id }))).body.result).toEqual(sent.task)
    expect((await ask(url, rpc('CancelTask', { id }))).body.result).toMatchObject({
      id,
      status: { state: 'TASK_STATE_CANCELED' },
    })
    expect(Object.keys((await ask(url, rpc('SendMessage', sendRequest('message:hi')))).body.result as object)).toEqual([
      'message',
    ])
  })

  it('the endpoint has a slash at its end or none, and params may be left out (JRPC-20, JRPC-22)', async () => {
    const { url } = await serve()
    for (const path of ['/invoke', '/invoke/', '/a2a', '/a2a/', '/', '/invoke?A2A-Version=1.0']) {
      const answer = await ask(url, {
        ...rpc('ListTasks'),
        path,
        headers: { 'content-type': 'application/json', ...(path.includes('?') ? {} : { 'a2a-version': '1.0' }) },
      })
      expect([path, answer.status, answer.body.result !== undefined]).toEqual([path, 200, true])
    }
  })
})

/** Stores a task whose id no server would choose. */
async function put(store: Store, id: string): Promise<void> {
  const log = store.create({ scope: { agent: 'scripted', tenant: '', owner: '' }, id, contextId: 'c' })
  const text = JSON.stringify({ messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'x' }] })
  await log.append(
    [
      { kind: 'message', seq: 1, text },
      { kind: 'status', seq: 2, state: 'TASK_STATE_INPUT_REQUIRED', time: 1 },
    ],
    { release: true },
  )
}

describe('HTTP+JSON', () => {
  it.each([
    'a:b',
    'a:cancel',
    'a/b',
    'a b',
    'a%2Fb',
    '%',
    'ü😀',
    'a?b#c',
    '..',
    '.',
    'a+b',
    ':',
    'tasks',
    'quote\'"',
    'a;b,c',
    '\u0000',
  ])('the id %j in the path is one segment, and the verb comes after the last colon (REST-26, AMB-73)', async (id) => {
    const served = await serve()
    await put(served.store, id)
    const path = `/tasks/${encodeURIComponent(id).replace(/^\.+$/, (dots) => dots.replaceAll('.', '%2E'))}`
    expect((await ask(served.url, { method: 'GET', path })).body).toMatchObject({ id })
    const stream = await openStream({ ...callerOf(served, 'HTTP+JSON') }, 'SubscribeToTask', {
      id: id === '.' || id === '..' ? 'x' : id,
    })
    expect((await ask(served.url, { path: `${path}:cancel` })).body).toMatchObject({
      id,
      status: { state: 'TASK_STATE_CANCELED' },
    })
    if (stream.status === 200) expect(shapes(await stream.rest())).toEqual(['task INPUT_REQUIRED', 'CANCELED'])
  })

  it('bodies that may be empty are, in every way, and the colon may be escaped (REST-28, REST-29, REST-30, SUB-09, AMB-03)', async () => {
    const served = await serve()
    const ways: PlainRequest[] = [
      { body: '' },
      { body: '{}' },
      { body: 'null' },
      { body: '', headers: { 'a2a-version': '1.0' } },
      { body: '', headers: { 'a2a-version': '1.0', 'content-type': 'text/plain' } },
      { body: '{"id":"another"}' },
      { body: '', headers: { ...json, 'transfer-encoding': 'chunked' } },
    ]
    for (const [at, way] of ways.entries()) {
      for (const colon of [':', '%3A', '%3a']) {
        const id = `t${at}${colon}`
        await put(served.store, id)
        const path = `/tasks/${encodeURIComponent(id)}${colon}cancel`
        expect(await ask(served.url, { ...way, path })).toMatchObject({
          status: 200,
          body: { id, status: { state: 'TASK_STATE_CANCELED' } },
        })
      }
    }
    expect((await ask(served.url, { path: '/message%3Asend', body: JSON.stringify(sendRequest('done')) })).status).toBe(
      200,
    )
    for (const method of ['GET', 'POST']) {
      expect((await ask(served.url, { method, path: '/tasks/t0%3A:subscribe' })).body).toMatchObject({
        error: { details: [{ reason: 'UNSUPPORTED_OPERATION' }] },
      })
    }
  })

  it('answers have the media type that was asked for, and are all 200 (REST-02, REST-03, REST-06, REST-35, AMB-10)', async () => {
    const { url } = await serve()
    for (const [accept, type] of [
      [undefined, 'application/json'],
      ['application/a2a+json', 'application/a2a+json'],
      ['*/*', 'application/json'],
      ['text/html', 'application/json'],
    ]) {
      for (const contentType of ['application/json', 'application/a2a+json; charset=utf-8']) {
        const headers = { ...json, 'content-type': contentType, ...(accept && { accept }) }
        const sent = await ask(url, { path: '/message:send', headers, body: JSON.stringify(sendRequest('done')) })
        expect([sent.status, sent.type]).toEqual([200, type])
        expect((await ask(url, { method: 'GET', path: '/tasks/none', headers })).type).toBe(type)
      }
    }
  })

  it('a tenant is a segment of the path, a query member or a member of the body; undeclared, it is no path (REST-24, REST-27, REST-31, AMB-69)', async () => {
    const { url } = await serve({ tenants: ['acme', 'tasks me'] })
    const body = JSON.stringify(sendRequest('done'))
    for (const [tenant, path] of [
      ['acme', '/acme'],
      ['tasks me', '/tasks%20me'],
    ] as const) {
      const sent = (await ask(url, { path: `${path}/message:send`, body })).body.task as { id: string }
      expect((await ask(url, { method: 'GET', path: `${path}/tasks/${sent.id}` })).status).toBe(200)
      expect(
        (await ask(url, { method: 'GET', path: `/tasks/${sent.id}?tenant=${encodeURIComponent(tenant)}` })).status,
      ).toBe(200)
      expect((await ask(url, { method: 'GET', path: `/tasks/${sent.id}` })).status).toBe(404)
      const other = tenant === 'acme' ? '/tasks%20me' : '/acme'
      expect((await ask(url, { method: 'GET', path: `${other}/tasks/${sent.id}` })).status).toBe(404)
    }
    expect((await ask(url, { path: '/other/message:send', body })).status).toBe(404)
    expect(
      (
        await ask(url, {
          path: '/acme/message:send',
          body: JSON.stringify({ ...sendRequest('done'), tenant: 'other' }),
        })
      ).status,
    ).toBe(400)
  })

  it('the version may stand in the query, beside which nothing changes its meaning (REST-36, VERS-06, AMB-50)', async () => {
    const { url } = await serve()
    const bare = { 'content-type': 'application/json' }
    expect((await ask(url, { method: 'GET', path: '/tasks?a2a-version=1.0', headers: bare })).status).toBe(200)
    expect((await ask(url, { method: 'GET', path: '/tasks', headers: bare })).status).toBe(400)
    expect(
      (await ask(url, { method: 'GET', path: '/tasks?A2A-Version=9.9', headers: { ...bare, 'a2a-version': '1.0' } }))
        .status,
    ).toBe(200)
    expect(
      (
        await ask(url, {
          path: '/message:send?A2A-Version=1.0',
          headers: bare,
          body: JSON.stringify(sendRequest('done')),
        })
      ).status,
    ).toBe(200)
  })
})
