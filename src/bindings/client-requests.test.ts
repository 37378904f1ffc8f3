import { describe, expect, test } from 'vitest'
import { collect, context, frame, message, startTransport, succeed } from '../../test/client/transport.ts'
import { beginStream, type Script, type SeenRequest, sendJson, taskOf } from '../client/testing.ts'

describe('the JSON-RPC request', () => {
  test('JRPC-01 JRPC-02 SVC-04 VERS-04 CARD-18: envelope, headers and tenant', async () => {
    const { peer, endpoint } = await startTransport(
      'JSONRPC',
      (request, response) => succeed('JSONRPC', response, { request, result: { task: taskOf('TASK_STATE_WORKING') } }),
      {
        iface: { tenant: 'a/b ü' },
        transport: { headers: async () => ({ authorization: 'Bearer t' }) },
      },
    )
    const { result } = await endpoint.unary({
      operation: 'SendMessage',
      request: { message },
      context: {
        ...context,
        extensions: ['urn:a', 'urn:b'],
        headers: { 'idempotency-key': 'k', cookie: 'private', host: 'x' },
      },
    })
    expect(result.value.task?.id).toBe('t1')
    const [seen] = peer.requests as [SeenRequest]
    expect(seen.method).toBe('POST')
    expect(seen.url).toBe('/base/')
    expect(seen.body).toEqual({
      jsonrpc: '2.0',
      id: expect.any(Number),
      method: 'SendMessage',
      params: { message, tenant: 'a/b ü' },
    })
    expect(seen.headers).toMatchObject({
      'content-type': 'application/json',
      'a2a-version': '1.0',
      'a2a-extensions': 'urn:a,urn:b',
      'idempotency-key': 'k',
      authorization: 'Bearer t',
    })
    expect(seen.headers.cookie).toBeUndefined()
  })

  test('no tenant in the interface: no such member', async () => {
    const { peer, endpoint } = await startTransport('JSONRPC', (request, response) =>
      succeed('JSONRPC', response, { request, result: taskOf('TASK_STATE_WORKING') }),
    )
    await endpoint.unary({ operation: 'GetTask', request: { id: 't1', historyLength: 0 }, context })
    expect(peer.requests[0]?.body.params).toEqual({ id: 't1', historyLength: 0 })
    expect(peer.requests[0]?.headers).not.toHaveProperty('a2a-extensions')
  })
})

describe('the HTTP+JSON request', () => {
  const ok: Script = (_, response) =>
    sendJson(response, { ...taskOf('TASK_STATE_WORKING'), tasks: [], nextPageToken: '', pageSize: 1, totalSize: 0 })

  test('REST-07 REST-08 REST-10: path, query and no body', async () => {
    const { peer, endpoint } = await startTransport('HTTP+JSON', ok)
    await endpoint.unary({ operation: 'GetTask', request: { id: 'a/b:c d', historyLength: 0 }, context })
    await endpoint.unary({
      operation: 'ListTasks',
      request: {
        contextId: 'c+1',
        pageToken: 'a+/= b',
        includeArtifacts: true,
        statusTimestampAfter: '2026-01-01T00:00:00Z',
      },
      context,
    })
    expect(peer.requests[0]).toMatchObject({
      method: 'GET',
      url: '/base/tasks/a%2Fb%3Ac%20d?historyLength=0',
      text: '',
    })
    const list = new URL(peer.requests[1]?.url ?? '', 'http://x')
    expect(list.search).not.toContain('+')
    expect(Object.fromEntries(list.searchParams)).toEqual({
      contextId: 'c+1',
      pageToken: 'a+/= b',
      includeArtifacts: 'true',
      statusTimestampAfter: '2026-01-01T00:00:00Z',
    })
    expect(peer.requests[0]?.headers['content-type']).toBeUndefined()
  })

  test('REST-02 REST-25: media type, tenant in the path, the rest in the body', async () => {
    const { peer, endpoint } = await startTransport('HTTP+JSON', (_, response) => sendJson(response, { message }), {
      iface: { tenant: 'a/b' },
    })
    await endpoint.unary({ operation: 'SendMessage', request: { message }, context })
    await endpoint
      .unary({ operation: 'CancelTask', request: { id: 't1', metadata: { a: 1 } }, context })
      .catch(() => {})
    expect(peer.requests[0]).toMatchObject({ method: 'POST', url: '/base/a%2Fb/message:send', body: { message } })
    expect(peer.requests[0]?.headers).toMatchObject({ 'content-type': 'application/a2a+json', 'a2a-version': '1.0' })
    expect(peer.requests[1]).toMatchObject({ url: '/base/a%2Fb/tasks/t1:cancel', body: { metadata: { a: 1 } } })
  })

  test('a peer that takes application/json only gets that', async () => {
    const { peer, endpoint, warnings } = await startTransport('HTTP+JSON', (request, response) => {
      if (request.headers['content-type'] === 'application/json') sendJson(response, { message })
      else sendJson(response, {}, 415)
    })
    const send = () => endpoint.unary({ operation: 'SendMessage', request: { message }, context })
    await send()
    await send()
    expect(peer.requests.map(({ headers }) => headers['content-type'])).toEqual([
      'application/a2a+json',
      'application/json',
      'application/json',
    ])
    expect(warnings).toHaveLength(1)
  })

  test('AMB-03: a subscribe that is refused as POST is tried as GET', async () => {
    const { peer, endpoint, warnings } = await startTransport('HTTP+JSON', (request, response) => {
      if (request.method !== 'GET')
        return sendJson(response, { error: { code: 405, status: 'UNIMPLEMENTED', message: 'no' } }, 405)
      beginStream(response)
      response.end(frame('HTTP+JSON', { task: taskOf('TASK_STATE_COMPLETED') }))
    })
    expect((await collect(endpoint)).values).toHaveLength(1)
    expect(peer.requests.map(({ method, url }) => `${method} ${url}`)).toEqual([
      'POST /base/tasks/t1:subscribe',
      'GET /base/tasks/t1:subscribe',
    ])
    expect(warnings.join()).toMatch(/GET was tried/)
  })

  test('an empty body counts as the answer to a delete', async () => {
    const { endpoint } = await startTransport('HTTP+JSON', (_, response) => void response.writeHead(204).end())
    const request = { taskId: 't1', id: 'p1' }
    expect(
      (await endpoint.unary({ operation: 'DeleteTaskPushNotificationConfig', request, context })).result.value,
    ).toEqual({})
  })

  test('an id that would change the path is refused before anything is sent', async () => {
    const { peer, endpoint } = await startTransport('HTTP+JSON', ok)
    await expect(endpoint.unary({ operation: 'GetTask', request: { id: '..' }, context })).rejects.toMatchObject({
      code: 'InvalidParams',
    })
    expect(peer.requests).toEqual([])
  })
})
