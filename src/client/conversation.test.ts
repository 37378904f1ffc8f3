import { describe, expect, test } from 'vitest'
import {
  beginStream,
  polled,
  prompt,
  rpcFrame,
  type Script,
  type SeenRequest,
  sendResult,
  startAgent,
  statusOf,
  streaming,
  taskOf,
} from './testing.ts'

describe('CTX-22: tasks that wait for somebody', () => {
  function asking(): Script {
    return (request, response) => {
      const { message } = request.body.params as { message: { taskId?: string } }
      beginStream(response)
      const first = {
        task: taskOf(
          message.taskId === undefined ? 'TASK_STATE_SUBMITTED' : 'TASK_STATE_INPUT_REQUIRED',
          message.taskId === undefined ? {} : { status: { state: 'TASK_STATE_INPUT_REQUIRED', message: prompt } },
        ),
      }
      const next =
        message.taskId === undefined
          ? statusOf('TASK_STATE_INPUT_REQUIRED', { message: prompt })
          : statusOf('TASK_STATE_COMPLETED', { message: { ...prompt, messageId: 'p2', parts: [{ text: 'sunny' }] } })
      response.write(rpcFrame(request, first) + rpcFrame(request, next))
      // The question stays on an open stream, as some agents leave it.
      if (message.taskId !== undefined) response.end()
    }
  }

  test('INPUT_REQUIRED: the question is a result, reply goes to the same task', async () => {
    const { peer, agent } = await startAgent(asking())
    const result = await agent.send('weather?')
    expect(result).toMatchObject({
      ok: false,
      state: 'TASK_STATE_INPUT_REQUIRED',
      text: 'which city?',
      statusText: 'which city?',
    })
    const answer = await result.reply('Berlin')
    expect(answer).toMatchObject({ ok: true, text: 'sunny' })
    expect(peer.requests[1]?.body.params).toMatchObject({ message: { taskId: 't1', contextId: 'c1' } })
    await answer.reply('thanks')
    const { message } = (peer.requests[2] as SeenRequest).body.params as { message: object }
    expect(message).toMatchObject({ contextId: 'c1' })
    expect(message).not.toHaveProperty('taskId')
  })

  test('the question is still the old one when its words have moved into the history', async () => {
    const asked = '2026-01-01T00:00:00Z'
    const { agent } = await startAgent((request, response) => {
      const { message } = request.body.params as { message: { taskId?: string } }
      beginStream(response)
      const moved = { status: { state: 'TASK_STATE_INPUT_REQUIRED' as const, timestamp: asked } }
      const frames =
        message.taskId === undefined
          ? [{ task: taskOf('TASK_STATE_INPUT_REQUIRED', { status: { ...moved.status, message: prompt } }) }]
          : [{ task: taskOf('TASK_STATE_INPUT_REQUIRED', moved) }, statusOf('TASK_STATE_COMPLETED')]
      response.end(frames.map((frame) => rpcFrame(request, frame)).join(''))
    })
    const result = await agent.send('weather?')
    expect(await result.reply('Berlin')).toMatchObject({ ok: true, state: 'TASK_STATE_COMPLETED' })
  })

  test('a conversation carries contextId, and taskId while the task is open', async () => {
    const { peer, agent } = await startAgent(asking())
    const conversation = agent.conversation()
    expect(conversation.contextId).toBeUndefined()
    await conversation.send('weather?')
    expect(conversation).toMatchObject({ contextId: 'c1', taskId: 't1' })
    const stream = conversation.stream('Berlin')
    for await (const _ of stream);
    expect(conversation).toMatchObject({ contextId: 'c1', taskId: undefined })
    await conversation.send('and tomorrow?')
    const messages = peer.requests.map(
      ({ body }) => (body.params as { message: { taskId?: string; contextId?: string } }).message,
    )
    expect(messages.map(({ taskId, contextId }) => [taskId, contextId])).toEqual([
      [undefined, undefined],
      ['t1', 'c1'],
      [undefined, 'c1'],
    ])
    await agent.send('someone else')
    expect(peer.requests[3]?.body.params).not.toHaveProperty('message.contextId')
  })

  test('without streaming, the old question is not taken for the new answer', async () => {
    let polls = 0
    const old = { state: 'TASK_STATE_INPUT_REQUIRED', message: prompt, timestamp: '2026-01-01T00:00:00.000Z' }
    const { agent } = await startAgent(
      (request, response) => {
        if (request.body.method === 'SendMessage')
          return sendResult(response, request, { task: taskOf('', { status: old }) })
        polls += 1
        sendResult(response, request, taskOf(polls < 3 ? '' : 'TASK_STATE_COMPLETED', polls < 3 ? { status: old } : {}))
      },
      { card: polled },
    )
    const result = await agent.send('weather?')
    expect(result).toMatchObject({ state: 'TASK_STATE_INPUT_REQUIRED', text: 'which city?' })
    expect(polls).toBe(0)
    expect(await result.reply('Berlin')).toMatchObject({ ok: true })
    expect(polls).toBe(3)
  })

  test('without streaming, an agent that asks the very same again is heard in the end', async () => {
    const { agent } = await startAgent(
      (request, response) => {
        const task = taskOf('', { status: { state: 'TASK_STATE_INPUT_REQUIRED' } })
        sendResult(response, request, request.body.method === 'SendMessage' ? { task } : task)
      },
      { card: polled },
    )
    const result = await (await agent.send('weather?')).reply('Berlin')
    expect(result.state).toBe('TASK_STATE_INPUT_REQUIRED')
  })

  test('SUB-10: AUTH_REQUIRED is a result, and wait goes on by polling or subscribing', async () => {
    for (const streams of [true, false]) {
      let polls = 0
      const { agent } = await startAgent(
        (request, response) => {
          const asked = taskOf('TASK_STATE_AUTH_REQUIRED')
          if (request.body.method === 'SendMessage') return sendResult(response, request, { task: asked })
          if (request.body.method === 'GetTask') {
            polls += 1
            return sendResult(response, request, polls < 3 ? asked : taskOf('TASK_STATE_COMPLETED'))
          }
          return streaming(
            { task: asked },
            ...(request.body.method === 'SubscribeToTask'
              ? [statusOf('TASK_STATE_WORKING'), statusOf('TASK_STATE_COMPLETED')]
              : []),
          )(request, response)
        },
        { card: { capabilities: { streaming: streams } } },
      )
      const result = await agent.send('hi')
      expect(result).toMatchObject({ ok: false, state: 'TASK_STATE_AUTH_REQUIRED' })
      const later = await result.wait()
      expect(later).toMatchObject({ ok: true, state: 'TASK_STATE_COMPLETED' })
      expect((await later.wait()).state).toBe('TASK_STATE_COMPLETED')
    }
  })

  test('AMB-04: a close after a question is normal', async () => {
    const { peer, agent } = await startAgent(streaming({ task: taskOf('TASK_STATE_INPUT_REQUIRED') }))
    expect((await agent.send('more', { taskId: 't1' })).state).toBe('TASK_STATE_INPUT_REQUIRED')
    expect(peer.requests).toHaveLength(1)
  })
})
