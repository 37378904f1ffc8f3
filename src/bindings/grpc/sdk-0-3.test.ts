import type * as sdk from 'a2a-js-sdk-v0-3'
import { type Client, ClientFactory } from 'a2a-js-sdk-v0-3/client'
import { GrpcTransportFactory } from 'a2a-js-sdk-v0-3/client/grpc'
import { expect, onTestFinished, test } from 'vitest'
import { agent } from '../../engine/executor.ts'
import { wires } from '../../protocol/versions/wire.ts'
import { serve } from '../../server/serve.ts'
import { createFakeEndpoint } from '../testing.ts'
import { createCodec } from './codec.ts'
import { startGrpc } from './testing.ts'

/** Gives back the data that it gets, else counts in chunks. */
const counter = agent({
  name: 'Counter',
  description: 'counts',
  version: '1',
  async *run(task) {
    const [part] = task.message.parts
    if (part?.data !== undefined) yield part
    else for (let at = 1; at <= 3; at++) yield `ü${at} `
  },
})

async function connectSdk(): Promise<Client> {
  const server = await serve(counter, { listen: '127.0.0.1:0', store: 'memory' })
  onTestFinished(() => server.close({ graceMs: 0 }))
  const answer = await fetch(server.cardUrl, { headers: { 'a2a-version': '0.3' } })
  const card = (await answer.json()) as sdk.AgentCard
  const factory = new ClientFactory({ transports: [new GrpcTransportFactory()], preferredTransports: ['GRPC'] })
  return await factory.createFromAgentCard(card)
}

function request(part: sdk.Part): sdk.MessageSendParams {
  const message: sdk.Message = { kind: 'message', messageId: 'm', role: 'user', parts: [part] }
  return { message, configuration: { blocking: true } }
}

const hello = request({ kind: 'text', text: 'hello' })

test('GRPC-17 the JavaScript SDK of 0.3 sends, reads and streams', async () => {
  const client = await connectSdk()
  const task = (await client.sendMessage(hello)) as sdk.Task
  expect([task.kind, task.status.state]).toEqual(['task', 'completed'])
  expect(task.artifacts?.flatMap(({ parts }) => parts)).toMatchObject([{ kind: 'text', text: 'ü1 ü2 ü3 ' }])
  expect(await client.getTask({ id: task.id })).toEqual(task)
  const seen: string[] = []
  for await (const event of client.sendMessageStream(hello)) seen.push(event.kind)
  expect([seen[0], seen.at(-1), seen.filter((kind) => kind === 'artifact-update').length]).toEqual([
    'task',
    'status-update',
    3,
  ])
})

test('GRPC-17 data comes back to the SDK of 0.3 as it went out', async () => {
  const client = await connectSdk()
  // Without null, which that SDK cannot write over gRPC.
  const data = { i: 1, z: 0, neg: -7, f: 0.1, arr: [1, 2.5, true], deep: { ü: ['x'] } }
  const task = (await client.sendMessage(request({ kind: 'data', data }))) as sdk.Task
  expect(task.artifacts?.[0]?.parts).toMatchObject([{ kind: 'data', data }])
})

test('GRPC-17 errors reach the SDK of 0.3', async () => {
  const client = await connectSdk()
  await expect(client.getTask({ id: 'nope' })).rejects.toThrow(/nope|not found/i)
})

test('GRPC-17 a call of 0.3 needs no version; one that says 1.0 is refused', async () => {
  const old = wires.find(({ version }) => version === '0.3')?.grpc
  if (old === undefined) throw new Error('0.3 is not spoken')
  const { service, schema } = old.grpc
  const row = old.of('GetTask')
  if (row === undefined) throw new Error('0.3 has no GetTask')
  const { client } = await startGrpc(createFakeEndpoint())
  const message = createCodec(schema).encode(row.request, { name: 'tasks/t' })
  const ask = (version: string) =>
    client.raw(`/${service}/${row.name}`, message, { headers: { 'a2a-version': version } })
  expect([(await ask('')).error, (await ask('0.3')).error]).toEqual([undefined, undefined])
  expect((await ask('1.0')).error?.details).toMatch(/its A2A-Version is 1\.0; leave the header out/)
})
