import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { type Agent, connect, createCardCache } from '../../src/index.ts'
import { sampleParts } from './parts.ts'
import { serveParlance } from './run.ts'
import type { ServedPeer } from './serve-http.ts'

let served: ServedPeer | undefined
let agent: Agent | undefined

beforeAll(async () => {
  served = await serveParlance('1.0')
  const { card } = await connect(served.card, { cache: createCardCache() })
  const supportedInterfaces = card.supportedInterfaces.filter(({ protocolBinding }) => protocolBinding === 'GRPC')
  agent = await connect({ ...card, supportedInterfaces })
})
afterAll(() => served?.close())

test('a page size of 0 over gRPC is one that nobody gave: the Go SDK cannot leave it out', async () => {
  expect(await agent?.list({ pageSize: 0, contextId: 'nobody' })).toMatchObject({ tasks: [], pageSize: 50 })
  await expect(agent?.list({ pageSize: 101 })).rejects.toMatchObject({ code: 'InvalidParams' })
})

describe('the bytes of a file in the protobuf of 0.3, which SDKs take in two ways', () => {
  const [, size] = sampleParts('parts')
  const bytes = Buffer.from(String(size?.bytes), 'base64')
  const textOfThem = Buffer.from(String(size?.bytes))
  const callers = [
    ['python-httpx/0.28.1', textOfThem],
    ['Go-http-client/1.1', textOfThem],
    ['node', bytes],
  ] as const
  test.each(callers)('%s', async (agentName, sent) => {
    const old = await serveParlance('0.3')
    onTestFinished(() => old.close())
    const ask = async (word: string, more: readonly object[]): Promise<string> => {
      const request = { messageId: crypto.randomUUID(), role: 'ROLE_USER', content: [{ text: word }, ...more] }
      const answer = await fetch(`${old.card}/v1/message:send`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'user-agent': agentName },
        body: JSON.stringify({ request }),
      })
      return await answer.text()
    }
    const file = { fileWithBytes: sent.toString('base64'), mimeType: 'application/octet-stream' }
    expect(await ask('size', [{ file }])).toContain(`"parts":[{"text":"${bytes.length}"}]`)
    expect(await ask('mirror', [{ file }])).toContain(`"parts":[{"file":{"fileWithBytes":"${file.fileWithBytes}"`)
  })
})

test('an error of HTTP+JSON 0.3 can be read as the SDK for JavaScript and as that for Go read it', async () => {
  const old = await serveParlance('0.3')
  onTestFinished(() => old.close())
  const answer = await fetch(`${old.card}/v1/tasks/no-such-task`)
  expect(answer.status).toBe(404)
  const reason = { reason: 'TASK_NOT_FOUND', domain: 'a2a-protocol.org' }
  expect(await answer.json()).toMatchObject({
    code: -32001,
    message: expect.stringContaining('no-such-task'),
    error: { code: 404, status: 'NOT_FOUND', details: [expect.objectContaining(reason)] },
  })
})
