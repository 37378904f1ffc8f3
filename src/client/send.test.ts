import { describe, expect, test } from 'vitest'
import {
  beginStream,
  chunkOf,
  cut,
  polled,
  prompt,
  rpcFrame,
  sendJson,
  sendResult,
  startAgent,
  statusOf,
  streaming,
  taskOf,
} from './testing.ts'

describe('send', () => {
  test('text, a part, parts and a message', async () => {
    const { peer, agent } = await startAgent(
      streaming({ message: { messageId: 'a', role: 'ROLE_AGENT', parts: [{ text: 'hi' }], contextId: 'c9' } }),
    )
    const result = await agent.send('one')
    expect(result).toMatchObject({ ok: true, state: undefined, text: 'hi', contextId: 'c9', task: undefined })
    await agent.send({ data: { n: 1 } })
    await agent.send(['look', { url: 'https://x.example/a.png', mediaType: 'image/png' }])
    await agent.send(
      { parts: [{ text: 'own' }], messageId: 'm7', metadata: { a: 1 } },
      { contextId: 'c1', metadata: { b: 2 }, historyLength: 0, acceptedOutputModes: ['text/plain'] },
    )
    const params = peer.requests.map(({ body }) => body.params)
    const id = expect.stringMatching(/^[\da-f-]{36}$/)
    expect(params).toEqual([
      { message: { messageId: id, role: 'ROLE_USER', parts: [{ text: 'one' }] } },
      { message: { messageId: id, role: 'ROLE_USER', parts: [{ data: { n: 1 } }] } },
      {
        message: {
          messageId: id,
          role: 'ROLE_USER',
          parts: [{ text: 'look' }, { url: 'https://x.example/a.png', mediaType: 'image/png' }],
        },
      },
      {
        message: { messageId: 'm7', role: 'ROLE_USER', parts: [{ text: 'own' }], contextId: 'c1', metadata: { a: 1 } },
        configuration: { historyLength: 0, acceptedOutputModes: ['text/plain'] },
        metadata: { b: 2 },
      },
    ])
    expect(peer.requests.map(({ body }) => body.method)).toEqual(Array(4).fill('SendStreamingMessage'))
  })

  test('what cannot be sent is refused with its path, before anything is sent', async () => {
    const { peer, agent } = await startAgent(streaming())
    await expect(agent.send([])).rejects.toMatchObject({
      code: 'InvalidParams',
      origin: 'local',
      message: expect.stringMatching(/message\.parts/),
    })
    await expect(agent.send({ parts: [{} as never] })).rejects.toMatchObject({
      message: expect.stringMatching(/message\.parts\[0\]/),
    })
    expect(peer.requests).toEqual([])
  })

  test('a stream of chunks ends as one text', async () => {
    const { agent } = await startAgent(
      streaming(
        { task: taskOf('TASK_STATE_SUBMITTED') },
        chunkOf('a', 'Hel'),
        chunkOf('a', 'lo', { append: true }),
        statusOf('TASK_STATE_COMPLETED'),
      ),
    )
    expect(await agent.send('hi')).toMatchObject({
      ok: true,
      state: 'TASK_STATE_COMPLETED',
      text: 'Hello',
      contextId: 'c1',
    })
  })

  test('a task that failed is a result, not an exception', async () => {
    const { agent } = await startAgent(
      streaming(
        { task: taskOf('TASK_STATE_WORKING') },
        statusOf('TASK_STATE_FAILED', { message: { ...prompt, parts: [{ text: 'broke' }] } }),
      ),
    )
    expect(await agent.send('hi')).toMatchObject({ ok: false, state: 'TASK_STATE_FAILED', text: 'broke' })
  })

  test('SEND-14: without streaming, sends with returnImmediately and polls', async () => {
    let polls = 0
    const { peer, agent } = await startAgent(
      (request, response) => {
        if (request.body.method === 'SendMessage')
          return sendResult(response, request, { task: taskOf('TASK_STATE_SUBMITTED') })
        polls += 1
        const artifacts = [{ artifactId: 'a', parts: [{ text: 'x'.repeat(polls) }] }]
        sendResult(response, request, taskOf(polls < 4 ? 'TASK_STATE_WORKING' : 'TASK_STATE_COMPLETED', { artifacts }))
      },
      { card: polled },
    )
    const events: unknown[] = []
    const stream = agent.stream('hi', { historyLength: 2 })
    for await (const event of stream) events.push(event)
    expect(await stream.result()).toMatchObject({ ok: true, text: 'xxxx' })
    expect(events.slice(0, 4)).toEqual([
      { task: taskOf('TASK_STATE_SUBMITTED') },
      chunkOf('a', 'x'),
      statusOf('TASK_STATE_WORKING', { timestamp: '2026-01-01T00:00:00.000Z' }),
      chunkOf('a', 'x', { append: true }),
    ])
    expect(peer.requests[0]?.body.params).toMatchObject({
      configuration: { returnImmediately: true, historyLength: 2 },
    })
    expect(peer.requests[1]?.body.params).toEqual({ id: 't1', historyLength: 2 })
    expect(peer.seen('SendMessage')).toHaveLength(1)
  })

  test('polling outlives passing failures', async () => {
    let polls = 0
    const { agent } = await startAgent(
      (request, response) => {
        if (request.body.method === 'SendMessage')
          return sendResult(response, request, { task: taskOf('TASK_STATE_WORKING') })
        polls += 1
        if (polls < 12) return polls % 2 ? cut(response) : sendJson(response, {}, 503)
        sendResult(response, request, taskOf('TASK_STATE_COMPLETED'))
      },
      { card: polled },
    )
    expect((await agent.send('hi')).ok).toBe(true)
  })

  test('a card that claims streaming in vain', async () => {
    const { peer, agent } = await startAgent((request, response) => {
      if (request.body.method === 'SendMessage') return sendResult(response, request, { message: prompt })
      sendJson(response, { jsonrpc: '2.0', id: 1, error: { code: -32004, message: 'no streams' } })
    })
    expect((await agent.send('hi')).text).toBe('which city?')
    expect(agent.warnings).toEqual([expect.stringMatching(/card: says that streaming works/)])
    expect(peer.requests).toHaveLength(2)
  })

  test('never hangs on one silent answer: a limit ends it', async () => {
    const { peer, agent } = await startAgent(() => {}, { card: polled, limits: { firstByte: 30 } })
    await expect(agent.send('hi')).rejects.toMatchObject({ code: 'DeadlineExceeded' })
    expect(peer.requests).toHaveLength(1)
  })

  test('an abort ends the wait and cancels the task only when told to', async () => {
    for (const cancelOnAbort of [false, true]) {
      const abort = new AbortController()
      let canceled: () => void = () => {}
      const seen = new Promise<void>((resolve) => {
        canceled = resolve
      })
      const { peer, agent } = await startAgent((request, response) => {
        if (request.body.method === 'CancelTask') {
          sendResult(response, request, taskOf('TASK_STATE_CANCELED'))
          return canceled()
        }
        beginStream(response)
        response.write(rpcFrame(request, { task: taskOf('TASK_STATE_WORKING') }))
      })
      const stream = agent.stream('hi', { signal: abort.signal, cancelOnAbort })
      const run = async (): Promise<void> => {
        for await (const _ of stream) abort.abort()
      }
      await expect(run()).rejects.toMatchObject({ code: 'Cancelled' })
      if (cancelOnAbort) await seen
      expect(peer.seen('CancelTask')).toHaveLength(cancelOnAbort ? 1 : 0)
    }
  })
})
