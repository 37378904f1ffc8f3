import assert from 'node:assert/strict'
import { type Check, delay, type Scene, skip } from '../scene.ts'
import type { Json } from '../wire/peer.ts'
import {
  ask,
  cancel,
  failsWith,
  get,
  needs,
  type OldTask,
  readOldStatus,
  readOldTask,
  resultOf,
  send,
  sendTask,
  stream,
  subscribe,
} from './speech.ts'

const live = ['submitted', 'working', 'input-required']
const nowhere = 'task-that-is-not-there'

const isText = (value: unknown): boolean => typeof value === 'string' && value.trim() !== ''

/** A requirement of the card. */
function ofCard(name: string, title: string, look: (card: Json) => void): Check {
  return {
    id: `mandatory/protocol/card/${name}`,
    level: 'MUST',
    title,
    on: 'once',
    run: ({ subject }) => look(subject.card),
  }
}

const card: readonly Check[] = [
  ofCard('texts', 'names the agent', ({ name, description, version }) =>
    assert.ok([name, description, version].every(isText)),
  ),
  ofCard('capabilities', 'tells what the agent can do', ({ capabilities }) =>
    assert.ok(capabilities !== null && typeof capabilities === 'object'),
  ),
  ofCard('modes', 'lists media types', ({ defaultInputModes, defaultOutputModes }) => {
    for (const list of [defaultInputModes, defaultOutputModes]) assert.ok(Array.isArray(list) && list.every(isText))
  }),
  ofCard('skills', 'lists skills', ({ skills }) => {
    const list = skills as readonly Json[]
    assert.ok(list.length > 0)
    for (const { id, name, description, tags } of list) {
      assert.ok([id, name, description].every(isText) && Array.isArray(tags) && tags.every(isText))
    }
  }),
  ofCard('transport', 'names an address, its transport and the version', (given) => {
    const { url, preferredTransport, protocolVersion } = given
    assert.ok(isText(url) && isText(preferredTransport))
    assert.match(String(protocolVersion), /^0\.3/)
  }),
  ofCard('interfaces', 'lists each further transport once', ({ additionalInterfaces = [] }) => {
    const list = (additionalInterfaces as readonly Json[]).map(({ url, transport }) => `${transport} ${url}`)
    assert.equal(new Set(list).size, list.length)
  }),
]

/** Every form of part, in the words of JSON-RPC. */
const parts: readonly Json[] = [
  { kind: 'text', text: 'grüße 😀' },
  { kind: 'file', file: { bytes: '+/8=', name: 'a.bin', mimeType: 'text/plain' } },
  { kind: 'file', file: { uri: 'https://example.com/a', mimeType: 'text/plain' } },
  { kind: 'data', data: { n: [1, 0.5, null], deep: { a: 'b' } } },
]

const tasks: readonly Check[] = [
  {
    id: 'mandatory/protocol/send/valid-text',
    level: 'MUST',
    title: 'a text gives a task that lives',
    async run(scene) {
      const task = await sendTask(scene)
      assert.ok([...live, 'completed'].includes(task.state), task.state)
      if (scene.peer.binding === 'JSONRPC') assert.equal(task.raw.kind, 'task')
    },
  },
  {
    id: 'mandatory/protocol/send/message-answer',
    level: 'MUST',
    title: 'an answer may be a message',
    async run(scene) {
      const value = resultOf(await send(scene, { messageId: 'tck-message-response' }))
      const message = (value.message ?? value) as Json
      const text = ((message.parts ?? message.content) as readonly Json[])[0]?.text
      assert.equal(text, 'Direct message response')
      if (scene.peer.binding === 'JSONRPC') assert.deepEqual([message.kind, message.role], ['message', 'agent'])
    },
  },
  {
    id: 'mandatory/protocol/send/continue-task',
    level: 'MUST',
    title: 'a task goes on by its id',
    async run(scene) {
      const { id, contextId } = await sendTask(scene)
      const task = await sendTask(scene, { taskId: id, text: 'more' })
      assert.deepEqual([task.id, task.contextId], [id, contextId])
      assert.ok(!['failed', 'rejected'].includes(task.state))
    },
  },
  {
    id: 'mandatory/protocol/send/unknown-task',
    level: 'MUST',
    title: 'a message to an unknown task is refused',
    run: async (scene) => failsWith(scene, 'TaskNotFound', await send(scene, { taskId: nowhere })),
  },
  {
    id: 'mandatory/protocol/get/history-length',
    level: 'MUST',
    title: 'a history is as long as it was asked for',
    async run(scene) {
      const { id } = await sendTask(scene)
      for (let at = 0; at < 3; at++) await sendTask(scene, { taskId: id, text: `more ${at}` })
      assert.equal(readOldTask(resultOf(await get(scene, id, 2))).history?.length, 2)
      assert.equal(readOldTask(resultOf(await get(scene, id, 1))).history?.length, 1)
      assert.ok((readOldTask(resultOf(await get(scene, id, 9999))).history?.length ?? 0) >= 4)
    },
  },
  {
    id: 'mandatory/protocol/get/valid',
    level: 'MUST',
    title: 'a task is read',
    async run(scene) {
      const { id, contextId } = await sendTask(scene)
      const task = readOldTask(resultOf(await get(scene, id)))
      assert.deepEqual([task.id, task.contextId], [id, contextId])
    },
  },
  {
    id: 'mandatory/protocol/get/unknown',
    level: 'MUST',
    title: 'an unknown task is TaskNotFound',
    run: async (scene) => failsWith(scene, 'TaskNotFound', await get(scene, nowhere)),
  },
  {
    id: 'mandatory/protocol/cancel/valid',
    level: 'MUST',
    title: 'a task is canceled',
    async run(scene) {
      const { id } = await sendTask(scene)
      const task = readOldTask(resultOf(await cancel(scene, id)))
      assert.deepEqual([task.id, task.state], [id, 'canceled'])
    },
  },
  {
    id: 'mandatory/protocol/cancel/unknown',
    level: 'MUST',
    title: 'an unknown task cannot be canceled',
    run: async (scene) => failsWith(scene, 'TaskNotFound', await cancel(scene, nowhere)),
  },
  {
    id: 'optional/quality/second-cancel',
    level: 'SHOULD',
    title: 'a canceled task cannot be canceled again',
    async run(scene) {
      const { id } = await sendTask(scene)
      await cancel(scene, id)
      failsWith(scene, 'TaskNotCancelable', await cancel(scene, id))
    },
  },
  {
    id: 'optional/quality/first-state',
    level: 'SHOULD',
    title: 'a new task is submitted or working',
    run: async (scene) => assert.ok(live.slice(0, 2).includes((await sendTask(scene)).state)),
  },
  {
    id: 'optional/quality/parallel',
    level: 'MAY',
    title: 'many requests at once are all answered',
    async run(scene) {
      const tasks = await Promise.all(Array.from({ length: 10 }, () => sendTask(scene)))
      assert.equal(new Set(tasks.map(({ id }) => id)).size, 10)
    },
  },
  {
    id: 'optional/quality/extra-members',
    level: 'MAY',
    title: 'members that nobody knows, and a very long text, are taken',
    on: ['JSONRPC', 'HTTP+JSON'],
    async run(scene) {
      const { id } = await sendTask(scene, { text: 'x'.repeat(200_000), configuration: { nobodyKnows: true } })
      assert.ok(id)
    },
  },
]

const optional: readonly Check[] = [
  {
    id: 'optional/capabilities/parts',
    level: 'SHOULD',
    title: 'every form of part is taken and given back in the words of the version',
    async run(scene) {
      const task = await sendTask(scene, { messageId: 'test-parts', parts })
      const { parts: seen, content } = (task.history?.[0] ?? {}) as Json
      const [text, bytes, uri, data] = (seen ?? content) as readonly Json[]
      assert.equal(text?.text, 'grüße 😀')
      const json = scene.peer.binding === 'JSONRPC'
      const [file, link] = [bytes?.file, uri?.file] as [Json, Json]
      assert.deepEqual(json ? [file.bytes, file.name, link.uri] : [file.fileWithBytes, file.name, link.fileWithUri], [
        '+/8=',
        json ? 'a.bin' : file.name,
        'https://example.com/a',
      ])
      assert.deepEqual(json ? data?.data : ((data?.data ?? {}) as Json).data, { n: [1, 0.5, null], deep: { a: 'b' } })
      if (json) assert.deepEqual([text?.kind, bytes?.kind, data?.kind], ['text', 'file', 'data'])
    },
  },
  {
    id: 'optional/capabilities/context',
    level: 'SHOULD',
    title: 'a conversation is kept',
    async run(scene) {
      const contextId = crypto.randomUUID()
      assert.equal((await sendTask(scene, { contextId })).contextId, contextId)
    },
  },
  {
    id: 'optional/capabilities/artifacts',
    level: 'SHOULD',
    title: 'a result comes as an artifact',
    async run(scene) {
      const { artifacts, state } = await sendTask(scene, { messageId: 'tck-artifact-text' })
      const [part] = (artifacts[0]?.parts ?? []) as readonly Json[]
      assert.deepEqual([state, part?.text], ['completed', 'Generated text content'])
    },
  },
  {
    id: 'optional/capabilities/blocking',
    level: 'SHOULD',
    title: 'blocking says whether the answer waits for the end',
    async run(scene) {
      const ask = { text: 'tck-long-running' }
      assert.equal((await sendTask(scene, { ...ask, configuration: { blocking: true } })).state, 'completed')
      const { id, state } = await sendTask(scene, { ...ask, configuration: { blocking: false } })
      // Over gRPC a flag that is not set cannot be told from one that is false.
      if (scene.peer.binding !== 'GRPC') assert.ok(live.includes(state), state)
      await untilDone(scene, id)
    },
  },
  {
    id: 'optional/capabilities/streaming/basic',
    level: 'SHOULD',
    title: 'a stream tells the task, its states and its end',
    async run(scene) {
      needs(scene, 'streaming')
      const frames = await stream(scene, { messageId: 'tck-stream-001' })
      const events = await frames.rest()
      readOldTask(events[0])
      assert.deepEqual(readOldStatus(events.at(-1)), { state: 'completed', final: true })
      assert.ok(events.some((event) => event.artifactUpdate !== undefined || event.kind === 'artifact-update'))
      if (scene.peer.binding !== 'GRPC') assert.match(frames.type, /^text\/event-stream/)
    },
  },
  {
    id: 'optional/capabilities/streaming/waits',
    level: 'SHOULD',
    title: 'a stream ends where the task asks for something',
    async run(scene) {
      needs(scene, 'streaming')
      const events = await (await stream(scene, { messageId: 'tck-input-required' })).rest()
      assert.deepEqual(readOldStatus(events.at(-1)), { state: 'input-required', final: true })
    },
  },
  {
    id: 'optional/capabilities/resubscribe/valid',
    level: 'SHOULD',
    title: 'a task is followed after its stream was left',
    async run(scene) {
      needs(scene, 'streaming')
      const first = await stream(scene, { messageId: 'test-resubscribe-message-id-1' })
      const { id } = readOldTask(await first.next())
      first.close()
      const again = await subscribe(scene, id)
      const events = await again.rest()
      assert.deepEqual(readOldStatus(events.at(-1)), { state: 'completed', final: true })
    },
  },
  {
    id: 'optional/capabilities/resubscribe/unknown',
    level: 'SHOULD',
    title: 'an unknown task is not followed',
    async run(scene) {
      needs(scene, 'streaming')
      const frames = await subscribe(scene, nowhere)
      assert.deepEqual(await frames.rest(), [])
      failsWith(scene, 'TaskNotFound', { error: frames.failure })
      assert.match(frames.failure?.message ?? '', /task|not found/i)
    },
  },
  {
    id: 'optional/capabilities/extended-card',
    level: 'SHOULD',
    title: 'an extended card is given or refused as the card says',
    async run(scene) {
      const { error, value } = await ask(scene, 'card', {})
      if (scene.subject.card.supportsAuthenticatedExtendedCard === true) assert.ok(isText((value as Json).name))
      else assert.ok(error)
    },
  },
  {
    id: 'optional/capabilities/push/refused',
    level: 'SHOULD',
    title: 'without push notifications a configuration is refused',
    async run(scene) {
      const { capabilities } = scene.subject.card as { capabilities: Json }
      if (capabilities.pushNotifications === true) skip('the card declares pushNotifications')
      failsWith(scene, 'PushNotificationNotSupported', await setPush(scene, await sendTask(scene)))
    },
  },
  {
    id: 'optional/capabilities/push/set',
    level: 'SHOULD',
    title: 'a configuration is set',
    async run(scene) {
      needs(scene, 'pushNotifications')
      const text = JSON.stringify(resultOf(await setPush(scene, await sendTask(scene))))
      assert.match(text, /https:\/\/example\.com\/hook/)
    },
  },
  {
    id: 'optional/multi-transport/same-task',
    level: 'SHOULD',
    title: 'a task made over one transport is the same over another',
    async run(scene) {
      const made = await sendTask(scene)
      for (const binding of ['JSONRPC', 'HTTP+JSON', 'GRPC'] as const) {
        if (scene.subject.address(binding) === undefined) continue
        const other = { ...scene, peer: scene.open(binding) }
        const task = readOldTask(resultOf(await get(other, made.id)))
        assert.deepEqual([task.id, task.contextId, task.state], [made.id, made.contextId, made.state])
        failsWith(other, 'TaskNotFound', await get(other, nowhere))
      }
    },
  },
]

function setPush(scene: Scene, { id }: OldTask): ReturnType<typeof ask> {
  const config = { id: 'hook', url: 'https://example.com/hook' }
  const { binding } = scene.peer
  if (binding === 'JSONRPC') return ask(scene, 'setPush', { taskId: id, pushNotificationConfig: config })
  const named = { name: `tasks/${id}/pushNotificationConfigs/hook`, pushNotificationConfig: config }
  const place = binding === 'GRPC' ? { parent: `tasks/${id}` } : { id }
  return ask(scene, 'setPush', { ...place, configId: 'hook', config: named })
}

async function untilDone(scene: Scene, id: string): Promise<void> {
  const deadline = Date.now() + 10_000
  while (readOldTask(resultOf(await get(scene, id))).state !== 'completed') {
    assert.ok(Date.now() < deadline, 'the task has not ended after ten seconds')
    await delay(50)
  }
}

/** Cards, tasks and capabilities of TCK 0.3. */
export const protocol: readonly Check[] = [...card, ...tasks, ...optional]
