import { type AgentCard, Role, type StreamResponse, type Task, TaskState } from '@a2a-js/sdk'
import { type Client, ClientFactory } from '@a2a-js/sdk/client'
import { GrpcTransportFactory } from '@a2a-js/sdk/client/grpc'
import { expect, onTestFinished, test } from 'vitest'
import { agent } from '../../engine/executor.ts'
import { serve } from '../../server/serve.ts'

/** Counts in chunks; asks back when it is told to. */
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
  const url = new URL(server.url).host
  const card = (await (await fetch(server.cardUrl)).json()) as AgentCard
  const supportedInterfaces = [{ url, protocolBinding: 'GRPC', protocolVersion: '1.0', tenant: '' }]
  const factory = new ClientFactory({ transports: [new GrpcTransportFactory()] })
  return await factory.createFromAgentCard({ ...card, supportedInterfaces })
}

function message(content: { $case: 'text'; value: string } | { $case: 'data'; value: unknown }) {
  const part = { content, metadata: undefined, filename: '', mediaType: '' }
  const base = { contextId: '', taskId: '', metadata: undefined, extensions: [], referenceTaskIds: [] }
  return {
    tenant: '',
    message: { ...base, messageId: 'm', role: Role.ROLE_USER, parts: [part] },
    configuration: undefined,
    metadata: {},
  }
}

const hello = message({ $case: 'text', value: 'hello' })

test('EQ-02 the JavaScript SDK sends, reads, lists and streams', async () => {
  const client = await connectSdk()
  const task = (await client.sendMessage(hello as never)) as Task
  expect(task.status?.state).toBe(TaskState.TASK_STATE_COMPLETED)
  expect(task.artifacts[0]?.parts.map(({ content }) => content?.value)).toEqual(['ü1 ü2 ü3 '])
  const read = await client.getTask({ tenant: '', id: task.id, historyLength: undefined })
  expect(read).toEqual(task)
  const page = await client.listTasks({ tenant: '', contextId: task.contextId, status: 0, pageToken: '' } as never)
  expect([page.totalSize, page.tasks[0]?.id]).toEqual([1, task.id])
  const seen: string[] = []
  for await (const { payload } of client.sendMessageStream(hello as never) as AsyncIterable<StreamResponse>) {
    seen.push(payload?.$case ?? '')
  }
  expect([seen[0], seen.at(-1), seen.filter((name) => name === 'artifactUpdate').length]).toEqual([
    'task',
    'statusUpdate',
    3,
  ])
})

test('PJ-06 data comes back to the SDK as it went out', async () => {
  const client = await connectSdk()
  const data = { i: 1, z: 0, neg: -7, f: 0.1, arr: [1, 2.5, null, true], deep: { ü: ['x'] } }
  const task = (await client.sendMessage(message({ $case: 'data', value: data }) as never)) as Task
  expect(task.artifacts[0]?.parts[0]?.content?.value).toEqual(data)
})

test('ERR-32 the SDK knows our errors by their details', async () => {
  const client = await connectSdk()
  const failure = await client.getTask({ tenant: '', id: 'nope', historyLength: undefined }).catch((error) => error)
  expect(failure.constructor.name).toMatch(/TaskNotFoundError$/)
  const task = (await client.sendMessage(hello as never)) as Task
  const cancel = await client.cancelTask({ tenant: '', id: task.id, metadata: undefined }).catch((error) => error)
  expect(cancel.constructor.name).toMatch(/TaskNotCancelableError$/)
})
