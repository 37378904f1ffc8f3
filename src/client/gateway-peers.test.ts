import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../lib/json.ts'
import { connectOld, type SeenRequest, sendResult, streamOld } from './testing.ts'

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
})
