import { describe, expect, test } from 'vitest'
import {
  beginStream,
  cardOf,
  connectFast,
  cut,
  prompt,
  sendJson,
  sendResult,
  startAgent,
  startPeer,
  taskOf,
} from './testing.ts'

describe('other calls', () => {
  test('get, cancel, call', async () => {
    const { peer, agent } = await startAgent((request, response) =>
      sendResult(response, request, taskOf('TASK_STATE_CANCELED')),
    )
    expect((await agent.get('t1', { historyLength: 0 })).id).toBe('t1')
    expect((await agent.cancel('t1')).status.state).toBe('TASK_STATE_CANCELED')
    await agent.call('GetTask', { id: 't2' })
    expect(peer.requests.map(({ body }) => [body.method, body.params])).toEqual([
      ['GetTask', { id: 't1', historyLength: 0 }],
      ['CancelTask', { id: 't1' }],
      ['GetTask', { id: 't2' }],
    ])
  })

  test('AMB-15: a task that is canceled already counts as canceled', async () => {
    for (const state of ['TASK_STATE_CANCELED', 'TASK_STATE_COMPLETED']) {
      const { agent } = await startAgent((request, response) => {
        if (request.body.method === 'GetTask') return sendResult(response, request, taskOf(state))
        sendJson(response, { jsonrpc: '2.0', id: 1, error: { code: -32002, message: 'too late' } })
      })
      if (state === 'TASK_STATE_CANCELED') expect((await agent.cancel('t1')).status.state).toBe(state)
      else await expect(agent.cancel('t1')).rejects.toMatchObject({ code: 'TaskNotCancelable' })
    }
  })

  test('listAll reads page after page, and stops at a token that leads nowhere', async () => {
    const { peer, agent } = await startAgent((request, response) => {
      const { pageToken = '', contextId } = request.body.params as { pageToken?: string; contextId?: string }
      const next = pageToken === '' ? 'p2' : pageToken === 'p2' && contextId === undefined ? '' : 'p2'
      sendResult(response, request, {
        tasks: [taskOf('TASK_STATE_WORKING', { id: `t${pageToken}` })],
        nextPageToken: next,
        pageSize: 1,
        totalSize: 2,
      })
    })
    const ids: string[] = []
    for await (const { id } of agent.listAll({ pageSize: 1 })) ids.push(id)
    expect(ids).toEqual(['t', 'tp2'])
    expect(peer.requests.map(({ body }) => body.params)).toEqual([{ pageSize: 1 }, { pageSize: 1, pageToken: 'p2' }])
    const endless = async (): Promise<void> => {
      for await (const _ of agent.listAll({ contextId: 'c' }));
    }
    await expect(endless()).rejects.toMatchObject({
      code: 'InvalidAgentResponse',
      message: expect.stringMatching(/nextPageToken/),
    })
  })

  test('a page without its counts is read (AMB-32)', async () => {
    const { agent } = await startAgent((request, response) => sendResult(response, request, { tasks: null }))
    expect(await agent.list()).toEqual({ tasks: [], nextPageToken: '', pageSize: 0, totalSize: 0 })
    expect(agent.warnings.length).toBeGreaterThan(0)
  })
})

describe('interfaces', () => {
  test('CARD-20: the next interface when one cannot be reached, and it stays', async () => {
    const gone = await startPeer(() => {})
    await gone.close()
    const peer = await startPeer((request, response) => {
      if (request.url === '/message:stream') {
        beginStream(response)
        return void response.end(`data: ${JSON.stringify({ message: prompt })}\n\n`)
      }
      response.writeHead(404, { 'content-type': 'text/html' }).end('<html>')
    })
    const seen: string[] = []
    const agent = await connectFast(
      cardOf(gone.url, {
        supportedInterfaces: [
          { url: 'x:1', protocolBinding: 'GRPC', protocolVersion: '1.0' },
          { url: `${gone.url}/rpc`, protocolBinding: 'JSONRPC', protocolVersion: '1.0' },
          { url: `${peer.url}/nothing-here`, protocolBinding: 'JSONRPC', protocolVersion: '1.0' },
          { url: peer.url, protocolBinding: 'HTTP+JSON', protocolVersion: '1.0' },
        ],
      }),
      { onWarning: (text) => seen.push(text) },
    )
    expect((await agent.send('hi')).text).toBe('which city?')
    expect((await agent.send('hi')).text).toBe('which city?')
    expect(peer.requests.map(({ url }) => url)).toEqual(['/nothing-here', '/message:stream', '/message:stream'])
    expect(agent.interface.protocolBinding).toBe('HTTP+JSON')
    expect(seen).toEqual(agent.warnings)
    expect(seen).toEqual([expect.stringMatching(/Cannot reach .*HTTP\+JSON at .* is used instead/)])
  })

  test('a send that may have arrived is not sent to another interface', async () => {
    const peer = await startPeer((_, response) => cut(response))
    const iface = (path: string) => ({ url: peer.url + path, protocolBinding: 'JSONRPC', protocolVersion: '1.0' })
    const agent = await connectFast(cardOf('', { supportedInterfaces: [iface('/a'), iface('/b')] }))
    await expect(agent.send('hi')).rejects.toMatchObject({ code: 'Unavailable' })
    expect(peer.requests.map(({ url }) => url)).toEqual(['/a'])
    await expect(agent.get('t')).rejects.toMatchObject({
      code: 'Unavailable',
      message: expect.stringMatching(/^No interface of the agent can be reached\..*\/a.*\/b/),
    })
  })

  test('a custom binding and middleware', async () => {
    const calls: string[] = []
    const card = cardOf('', {
      supportedInterfaces: [{ url: 'x:1', protocolBinding: 'urn:own', protocolVersion: '1.0' }],
    })
    const agent = await connectFast(card, {
      bindings: {
        'urn:own': () => ({
          unary: () => Promise.reject(new Error('not here')),
          stream: async () => ({ events: (async function* () {})(), extensions: [] }),
        }),
      },
      middleware: [
        (next) => ({
          unary: (call) => next.unary(call),
          stream: (call) => {
            calls.push(call.operation)
            return next.stream(call)
          },
        }),
      ],
    })
    await expect(agent.send('hi')).rejects.toMatchObject({ code: 'InvalidAgentResponse' })
    await expect(agent.get('t')).rejects.toMatchObject({ code: 'Internal' })
    expect(calls).toEqual(['SendStreamingMessage'])
  })
})
