import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../lib/json.ts'
import { connectOld, type Script, type SeenRequest, sendResult, streamOld } from './testing.ts'

describe('a peer in between the versions', () => {
  /** As software writes it that speaks 0.3 with the names of 1.0. */
  const gatewayCard =
    (path: string) =>
    (url: string): JsonObject => ({
      url: `${url}${path}`,
      supportsExtendedAgentCard: false,
      securitySchemes: { key: { apiKeySecurityScheme: { location: 'header', name: 'x-key' } } },
      security: [{ schemes: { key: { list: [] } } }],
    })
  const bare = (state: string, more: JsonObject = {}): JsonObject => ({
    id: 't1',
    contextId: 'c1',
    status: { state },
    ...more,
  })
  const reply = { artifacts: [{ artifactId: 'a', parts: [{ text: 'pong' }] }] }

  for (const path of ['/a2a', '/']) {
    test(`at ${path}: what is sent has its names, and it is polled to the end`, async () => {
      let polls = 0
      const { agent, peer } = await connectOld(
        (request, response) => {
          if (request.body.method === 'tasks/get') polls += 1
          return sendResult(
            response,
            request,
            polls > 1 ? bare('TASK_STATE_COMPLETED', reply) : bare('TASK_STATE_WORKING'),
          )
        },
        (url) => ({ ...gatewayCard(path)(url), capabilities: {} }),
      )
      const result = await agent.send([
        { text: 'ping' },
        { raw: 'aGk=', filename: 'a.txt', mediaType: 'text/plain' },
        { url: 'https://files.example/a' },
        { data: { a: 1 } },
      ])
      expect(result).toMatchObject({ text: 'pong', state: 'TASK_STATE_COMPLETED' })
      const sent = peer.seen('message/send')[0] as SeenRequest
      const { message } = sent.body.params as { message: JsonObject }
      expect(message).toMatchObject({
        role: 'ROLE_USER',
        parts: [
          { text: 'ping' },
          { file: { fileWithBytes: 'aGk=', name: 'a.txt', mediaType: 'text/plain' } },
          { file: { fileWithUri: 'https://files.example/a' } },
          { data: { data: { a: 1 } } },
        ],
      })
    })
  }

  test('its stream is of bare tasks and updates, and ends with [DONE], which is nothing to warn of', async () => {
    const frames = [
      bare('TASK_STATE_WORKING'),
      bare('TASK_STATE_WORKING', reply),
      { taskId: 't1', contextId: 'c1', status: { state: 'TASK_STATE_COMPLETED' }, final: false },
    ]
    const { agent } = await connectOld(streamOld(frames, 'data: [DONE]\n\n'), gatewayCard('/a2a'))
    const result = await agent.send('ping')
    expect(result).toMatchObject({ text: 'pong', state: 'TASK_STATE_COMPLETED' })
    expect(agent.warnings.filter((text) => text.includes('DONE'))).toEqual([])
  })

  test('it is resubscribed to by name, and a task of two L is canceled', async () => {
    const { agent, peer } = await connectOld((request, response) => {
      if (request.body.method === 'tasks/resubscribe')
        return streamOld([bare('TASK_STATE_CANCELLED')])(request, response)
      const state = request.body.method === 'tasks/get' ? 'TASK_STATE_WORKING' : 'TASK_STATE_CANCELLED'
      return sendResult(response, request, bare(state))
    }, gatewayCard('/a2a'))
    expect((await agent.cancel('t1')).status.state).toBe('TASK_STATE_CANCELED')
    const seen = []
    for await (const event of agent.subscribe('t1')) seen.push(event)
    expect(peer.seen('tasks/resubscribe')[0]?.body.params).toMatchObject({ name: 't1' })
    expect(seen.at(-1)).toMatchObject({ statusUpdate: { status: { state: 'TASK_STATE_CANCELED' } } })
  })

  test('its tasks are listed by offset', async () => {
    const { agent, peer } = await connectOld((request, response) => {
      const { offset = 0, limit = 2 } = request.body.params as { offset?: number; limit?: number }
      const tasks = ['t1', 't2', 't3']
        .slice(offset, offset + limit)
        .map((id) => ({ ...bare('TASK_STATE_COMPLETED'), id }))
      return sendResult(response, request, { tasks, total: 3, limit, offset })
    }, gatewayCard('/a2a'))
    const first = await agent.list({ pageSize: 2, status: 'TASK_STATE_CANCELED', contextId: 'c1' })
    expect(first.tasks.map(({ id }) => id)).toEqual(['t1', 't2'])
    expect(first.totalSize).toBe(3)
    const second = await agent.list({ pageSize: 2, pageToken: first.nextPageToken })
    expect(second.tasks.map(({ id }) => id)).toEqual(['t3'])
    expect(second.nextPageToken).toBe('')
    expect(peer.seen('tasks/list')[0]?.body.params).toEqual({
      contextId: 'c1',
      state: 'TASK_STATE_CANCELLED',
      limit: 2,
    })
  })

  test('push configurations name their task in both ways', async () => {
    const config = { name: 't1', pushNotificationConfig: { id: 'p1', url: 'https://hook.example/' } }
    const { agent, peer } = await connectOld((request, response) => {
      const { method } = request.body
      if (method === 'tasks/pushNotificationConfig/delete') return sendResult(response, request, null)
      return sendResult(response, request, method === 'tasks/pushNotificationConfig/list' ? [config] : config)
    }, gatewayCard('/a2a'))
    const read = { taskId: 't1', id: 'p1', url: 'https://hook.example/' }
    expect(await agent.call('CreateTaskPushNotificationConfig', read)).toEqual(read)
    expect(await agent.call('GetTaskPushNotificationConfig', { taskId: 't1', id: 'p1' })).toEqual(read)
    expect(await agent.call('ListTaskPushNotificationConfigs', { taskId: 't1' })).toEqual({ configs: [read] })
    expect(await agent.call('DeleteTaskPushNotificationConfig', { taskId: 't1', id: 'p1' })).toEqual({})
    const asked = ['set', 'get', 'list', 'delete'].map((verb) => peer.seen(`tasks/pushNotificationConfig/${verb}`)[0])
    expect(asked.map((request) => request?.body.params)).toMatchObject([
      { name: 't1', pushNotificationConfig: { id: 'p1', url: 'https://hook.example/' } },
      { name: 't1', pushNotificationConfigId: 'p1' },
      { name: 't1' },
      { name: 't1', pushNotificationConfigId: 'p1' },
    ])
  })

  const plainCard = (url: string): JsonObject => ({ url: `${url}/a2a` })
  const starts: readonly (readonly [name: string, script: Script])[] = [
    ['an answer', (request, response) => sendResult(response, request, bare('TASK_STATE_COMPLETED', reply))],
    ['a frame of a stream', (request, response) => streamOld([bare('TASK_STATE_COMPLETED', reply)])(request, response)],
  ]
  for (const [name, script] of starts) {
    test(`a card that does not tell: ${name} does, once, and from then on its words are used (VERS-17)`, async () => {
      const { agent, peer } = await connectOld((request, response) => {
        if (request.body.method === 'tasks/list') return sendResult(response, request, { tasks: [], total: 0 })
        return script(request, response)
      }, plainCard)
      await expect(agent.list()).rejects.toMatchObject({ code: 'UnsupportedOperation' })
      expect((await agent.send('ping')).text).toBe('pong')
      expect((await agent.send('ping')).text).toBe('pong')
      expect((await agent.list()).tasks).toEqual([])
      const sent = peer.seen('message/stream').map(({ body }) => (body.params as { message: JsonObject }).message)
      expect(sent.map(({ role }) => role)).toEqual(['user', 'ROLE_USER'])
      expect(agent.warnings.filter((text) => text.includes('drafts after 0.3'))).toHaveLength(1)
    })
  }

  test('a peer of 0.3 as it is meant to be stays one', async () => {
    const { agent, peer } = await connectOld(
      streamOld([{ kind: 'task', ...bare('completed'), metadata: { note: 'TASK_STATE_COMPLETED' } }]),
    )
    for (let time = 0; time < 2; time++) await agent.send('ping')
    const sent = peer.seen('message/stream').map(({ body }) => (body.params as { message: JsonObject }).message)
    expect(sent.map(({ role }) => role)).toEqual(['user', 'user'])
    await expect(agent.list()).rejects.toMatchObject({ code: 'UnsupportedOperation' })
  })
})
