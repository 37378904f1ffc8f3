import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Agent, connect, createCardCache } from '../../src/index.ts'
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
