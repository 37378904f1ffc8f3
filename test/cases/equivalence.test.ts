import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Task } from '../../src/protocol/generated/v1/types.ts'
import { storeKinds, until } from '../harness.ts'
import { anonymous } from './anonymous.ts'
import { openStream, streamScript } from './raw-stream.ts'
import { createGate, scriptedAgent } from './scripted-agent.ts'
import { type Served, type ServedOptions, serve, startServed } from './served.ts'
import {
  type AnyBinding,
  allBindings,
  atOnce,
  bindingNames,
  type Caller,
  type CallOptions,
  callerOf,
  operationNames,
  readError,
  type SeenError,
  sendRequest,
} from './wire.ts'

/** How the errors of one binding are told by the other (§5.4): JSON-RPC code, HTTP status, name of the gRPC status. */
const errorTable: readonly (readonly [jsonRpc: number, http: number, status: string])[] = [
  [-32001, 404, 'NOT_FOUND'],
  [-32002, 400, 'FAILED_PRECONDITION'],
  [-32003, 400, 'FAILED_PRECONDITION'],
  [-32004, 400, 'FAILED_PRECONDITION'],
  [-32005, 400, 'INVALID_ARGUMENT'],
  [-32006, 500, 'INTERNAL'],
  [-32007, 400, 'FAILED_PRECONDITION'],
  [-32008, 400, 'FAILED_PRECONDITION'],
  [-32009, 400, 'FAILED_PRECONDITION'],
  [-32602, 400, 'INVALID_ARGUMENT'],
  [-31401, 401, 'UNAUTHENTICATED'],
  [-31403, 403, 'PERMISSION_DENIED'],
]

/** What a caller sees of one step: a result, frames, or an error without the spelling of its binding. */
type Seen = { readonly value: unknown } | { readonly error: SeenError }
type Step = (caller: Caller) => Promise<readonly Seen[]>

const call =
  (operation: string, request: Record<string, unknown>, options?: CallOptions): Step =>
  async (caller) => {
    const { value, error } = await caller.call(operation, request, options)
    return [error === undefined ? { value } : { error }]
  }

const send = (script: string, options: Parameters<typeof sendRequest>[1] = {}): Step =>
  call('SendMessage', { ...sendRequest(script, options) }, options)

const stream =
  (script: string, options?: Parameters<typeof sendRequest>[1]): Step =>
  async (caller) => {
    const opened = await streamScript(caller, script, options)
    const frames = await opened.rest()
    if (opened.status !== 200 || frames.length === 0)
      return [{ error: readError(caller.binding, JSON.parse(opened.text)) as SeenError }]
    return frames.map(({ value, error, id }) => (error === undefined ? { value: { id, value } } : { error }))
  }

/** A call about a task that a script has left behind. */
const about =
  (script: string, operation: string, rest: Record<string, unknown> = {}): Step =>
  async (caller) => {
    const { id } = await caller.send(script)
    return call(operation, operation.includes('Push') ? { taskId: id, ...rest } : { id, ...rest })(caller)
  }

const followUp =
  (script: string, message: Record<string, unknown> = {}): Step =>
  async (caller) => {
    const { id } = await caller.send(script)
    return send('chunk:b:y done', { message: { taskId: id, ...message } })(caller)
  }

const scripts = [
  'done',
  'chunk:a:x done:bye',
  'chunk:a:x',
  'message:hello',
  'fail:no',
  'throw',
  'status:REJECTED:no',
  'status:INPUT_REQUIRED:which?',
  'status:AUTH_REQUIRED:sign_in',
  'status:WORKING:w chunk:a:1 chunk:a:2:append:last status:INPUT_REQUIRED',
  'echo',
  'task:SUBMITTED',
  'status:RUNNING',
  '',
]

interface Surroundings extends ServedOptions {
  /** What only JSON can say. */
  readonly jsonOnly?: true
}

const situations: readonly (readonly [name: string, step: Step, options?: Surroundings])[] = [
  ...scripts.map((script) => [`a send of "${script}"`, send(script)] as const),
  ...scripts.map((script) => [`a stream of "${script}"`, stream(script)] as const),
  ['a send that wants no history', send('done', { configuration: { historyLength: 0 } })],
  ['a send within a context', send('done', { message: { contextId: 'mine', referenceTaskIds: ['a', 'b'] } })],
  ['a send with metadata', send('echo', { message: { metadata: { a: 1 } }, metadata: { b: [null] } })],
  [
    'a send with every kind of part',
    call(
      'SendMessage',
      sendRequest([
        { text: 'echo' },
        { data: { n: 1 } },
        { raw: 'aGk=', filename: 'a.txt' },
        { url: 'https://files.example/a', metadata: { x: 1 } },
      ]),
    ),
  ],
  [
    'a send with bytes in another alphabet',
    call('SendMessage', sendRequest([{ text: 'echo' }, { raw: '-_8' }])),
    { jsonOnly: true },
  ],
  [
    'a send in snake_case',
    call('SendMessage', {
      message: { message_id: 'm', role: 1, parts: [{ text: 'echo' }, { text: 'x', media_type: 'text/plain' }] },
    }),
    { jsonOnly: true },
  ],
  [
    'a send with members that nobody knows',
    call('SendMessage', { ...sendRequest('done'), mood: 'sunny' }),
    { jsonOnly: true },
  ],
  [
    'a send of a media type that is not taken',
    call('SendMessage', sendRequest([{ text: 'x', mediaType: 'image/png' }])),
  ],
  ['a send to a task that is not there', send('done', { message: { taskId: 'nope' } })],
  [
    'a send with a webhook',
    call('SendMessage', {
      ...sendRequest('done'),
      configuration: { taskPushNotificationConfig: { url: 'https://hook.example' } },
    }),
  ],
  ['a send with a negative history', send('done', { configuration: { historyLength: -1 } })],
  ['a send without parts', call('SendMessage', sendRequest([])), { jsonOnly: true }],
  ['a send without a message', call('SendMessage', {})],
  ['a send without a role', call('SendMessage', { message: { messageId: 'm', parts: [{ text: 'x' }] } })],
  [
    'a send with two contents in a part',
    call('SendMessage', { message: { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'x', url: 'y' }] } }),
    { jsonOnly: true },
  ],
  ['a stream to a task that is not there', stream('done', { message: { taskId: 'nope' } })],
  ['a follow-up', followUp('chunk:a:x status:INPUT_REQUIRED:which?')],
  ['a follow-up in the context of another', followUp('status:INPUT_REQUIRED:which?', { contextId: 'other' })],
  ['a follow-up to what has ended', followUp('done')],
  ['reading a task', about('status:WORKING:w chunk:a:x done', 'GetTask')],
  ['reading a task without history', about('done', 'GetTask', { historyLength: 0 })],
  ['reading a task with a negative history', about('done', 'GetTask', { historyLength: -3 })],
  ['reading what is not there', call('GetTask', { id: 'a/b c:d%2F' })],
  ['canceling what waits', about('status:INPUT_REQUIRED:which?', 'CancelTask')],
  ['canceling with metadata', about('status:INPUT_REQUIRED:which?', 'CancelTask', { metadata: { why: 'bored' } })],
  [
    'canceling with metadata that is none',
    about('status:INPUT_REQUIRED:which?', 'CancelTask', { metadata: [] }),
    { jsonOnly: true },
  ],
  ['canceling what has ended', about('done', 'CancelTask')],
  ['canceling what is not there', call('CancelTask', { id: 'nope' })],
  ['subscribing to what has ended', about('fail', 'SubscribeToTask')],
  ['subscribing to what is not there', call('SubscribeToTask', { id: 'nope' })],
  ['an empty list', call('ListTasks', {})],
  [
    'a list',
    async (caller) => [
      ...(await about('chunk:a:x done', 'GetTask')(caller)),
      ...(await call('ListTasks', { includeArtifacts: true, pageSize: 3 })(caller)),
    ],
  ],
  [
    'a list by state',
    async (caller) => [
      ...(await send('fail')(caller)),
      ...(await call('ListTasks', { status: 'TASK_STATE_FAILED' })(caller)),
    ],
  ],
  ['a list by a state that there is not', call('ListTasks', { status: 'TASK_STATE_LOST' }), { jsonOnly: true }],
  ['a list of too much', call('ListTasks', { pageSize: 101 })],
  ['a list from a token that is none', call('ListTasks', { pageToken: 'zzz' })],
  ['a webhook', about('done', 'CreateTaskPushNotificationConfig', { url: 'https://hook.example' })],
  ['reading a webhook', call('GetTaskPushNotificationConfig', { taskId: 't', id: 'c' })],
  ['listing webhooks', call('ListTaskPushNotificationConfigs', { taskId: 't' })],
  ['deleting a webhook', call('DeleteTaskPushNotificationConfig', { taskId: 't', id: 'c' })],
  ['the extended card', call('GetExtendedAgentCard', {})],
  ...['9.9', '1.1', '0.3', '', 'x', '1', '1.0.1'].map(
    (version) => [`version "${version}"`, call('ListTasks', {}, { headers: { 'a2a-version': version } })] as const,
  ),
  ['version " 1.0 "', call('ListTasks', {}, { headers: { 'a2a-version': ' 1.0 ' } }), { jsonOnly: true }],
  [
    'an extension that is required',
    send('done'),
    { agent: scriptedAgent({ extensions: [{ uri: 'urn:x', required: true }] }) },
  ],
  [
    'an extension that is required and named',
    send('done', { headers: { 'a2a-extensions': 'urn:y, urn:x' } }),
    { agent: scriptedAgent({ extensions: [{ uri: 'urn:x', required: true }] }) },
  ],
  ['streams where there are none', stream('done'), { agent: scriptedAgent({ streaming: false }) }],
  [
    'a subscription where there are no streams',
    call('SubscribeToTask', { id: 't' }),
    { agent: scriptedAgent({ streaming: false }) },
  ],
  ['no token', call('ListTasks', {}), { tokens: ['secret'] }],
  ['a wrong token', call('ListTasks', {}, { headers: { authorization: 'Bearer wrong' } }), { tokens: ['secret'] }],
  ['a right token', call('ListTasks', {}, { headers: { authorization: 'Bearer secret' } }), { tokens: ['secret'] }],
  ['a tenant that is not declared', call('ListTasks', { tenant: 'other' }), { tenants: ['acme'] }],
  ['a tenant that is declared', call('ListTasks', { tenant: 'acme' }), { tenants: ['acme'] }],
  [
    'a safe retry',
    async (caller) => {
      const options = { headers: { 'idempotency-key': 'k' }, message: { messageId: 'm' } }
      return [
        ...(await send('chunk:a:x done', options)(caller)),
        ...(await send('chunk:a:x done', options)(caller)),
        ...(await send('other', options)(caller)),
      ]
    },
  ],
]

describe.each(storeKinds)('the same call over every binding, over %s', (store) => {
  // One server for each binding, with the same story, so that each situation meets what the others left on both.
  const shared = new Map<AnyBinding, Served>()
  const folder = mkdtempSync(join(tmpdir(), 'parlance-cases-'))
  beforeAll(async () => {
    for (const binding of allBindings) {
      const path = store === 'memory' ? '' : join(folder, `${allBindings.indexOf(binding)}.db`)
      shared.set(binding, await startServed({ store, path }))
    }
  })
  afterAll(async () => {
    for (const served of shared.values()) await served.close()
    rmSync(folder, { recursive: true })
  })

  for (const [name, step, options] of situations) {
    it(`gives the same for ${name} (EQ-01, EQ-02, EQ-03, ERR-29)`, async () => {
      const { jsonOnly, ...served } = options ?? {}
      const bindings = jsonOnly ? bindingNames : allBindings
      const outcomes = await Promise.all(
        bindings.map(async (binding) => {
          const isOwn = options !== undefined
          return step(callerOf((isOwn ? await serve({ store, ...served }) : shared.get(binding)) as Served, binding))
        }),
      )
      const plain = (seen: readonly Seen[]): unknown =>
        anonymous(
          seen.map((each) =>
            'error' in each
              ? { message: each.error.message, reason: each.error.reason, fields: each.error.fields }
              : each,
          ),
        )
      const [jsonRpc = [], rest = [], grpc] = outcomes
      expect(jsonRpc.length).toBeGreaterThan(0)
      expect(plain(rest)).toEqual(plain(jsonRpc))
      if (grpc !== undefined) expect(plain(grpc)).toEqual(plain(jsonRpc))
      for (const [at, seen] of jsonRpc.entries()) {
        if (!('error' in seen)) continue
        const others = [rest, grpc].map((each) => (each?.[at] as { readonly error: SeenError } | undefined)?.error)
        expect(errorTable).toContainEqual([seen.error.code, others[0]?.code, others[0]?.status])
        if (grpc !== undefined) expect(others[1]?.status).toBe(others[0]?.status)
      }
    })
  }

  it('shows a task that one binding made through the other, in every operation (EQ-02, CARD-31)', async () => {
    const served = await serve({ store })
    const pairs = allBindings.flatMap((one) =>
      allBindings.filter((other) => other !== one).map((other) => [one, other]),
    )
    for (const [one, other] of pairs) {
      const [maker, reader] = [callerOf(served, one as AnyBinding), callerOf(served, other as AnyBinding)]
      const gate = createGate()
      const made = await streamScript(
        maker,
        `status:WORKING chunk:a:x ${gate.hold} chunk:a:y:append status:INPUT_REQUIRED:which?`,
      )
      const id = (await made.next())?.value?.task?.id ?? ''
      await until(async () => (await reader.get(id)).artifacts !== undefined)
      const [ours, theirs] = await Promise.all(
        [maker, reader].map((caller) => openStream(caller, 'SubscribeToTask', { id })),
      )
      gate.open()
      await made.ended()
      expect(await reader.get(id)).toEqual(await maker.get(id))
      const done: Task = await reader.send('done', { message: { taskId: id } })
      expect(await maker.get(id)).toEqual(done)
      const values = (await theirs?.rest())?.map(({ id: number, value }) => ({ number, value }))
      expect((await ours?.rest())?.map(({ id: number, value }) => ({ number, value }))).toEqual(values)
      expect(values?.length).toBe(4)
    }
  })

  it('makes one task of a send that is repeated with its key, at once and later, over either binding (EQ-02)', async () => {
    const served = await serve({ store })
    const message = { messageId: 'm', contextId: 'c', referenceTaskIds: ['r'], metadata: { b: 1, a: { d: 1, c: 2 } } }
    const options = { headers: { 'idempotency-key': 'k' }, message }
    const callers = allBindings.map((binding) => callerOf(served, binding))
    const repeat = (): Promise<Task>[] =>
      [...callers, ...callers].map((caller) => caller.send('wait:20 chunk:a:x done', options))
    const tasks = [...(await Promise.all(repeat())), ...(await Promise.all(repeat()))]
    for (const task of tasks) expect(task).toEqual(tasks[0])
    const stream = await streamScript(callers[0] as Caller, 'wait:20 chunk:a:x done', options)
    expect((await stream.rest()).at(-1)?.value).toEqual({ task: tasks[0] })
    expect(await callers[1]?.ok('ListTasks', {})).toMatchObject({ totalSize: 1 })
  })

  it('tells each event once over each binding, numbered alike (EQ-02, JRPC-05, REST-33)', async () => {
    const served = await serve({ store })
    const [jsonRpc, rest] = bindingNames.map((binding) => callerOf(served, binding)) as [Caller, Caller]
    const { id } = await jsonRpc.send('status:INPUT_REQUIRED:which?')
    const streams = await Promise.all([
      openStream(jsonRpc, 'SubscribeToTask', { id }, { id: 'é"1' }),
      openStream(rest, 'SubscribeToTask', { id }),
    ])
    await rest.send('chunks:a:50 done', { message: { taskId: id }, ...atOnce })
    const [first, second] = await Promise.all(streams.map((each) => each.rest()))
    expect(first?.map(({ requestId }) => requestId)).toEqual(first?.map(() => 'é"1'))
    expect(second?.map(({ requestId: _, ...frame }) => frame)).toEqual(
      first?.map(({ requestId: _, ...frame }) => frame),
    )
    const lines = (text: string): string[] => [...text.matchAll(/^data: (.*)$/gm)].map(([, line]) => line ?? '')
    expect(lines(streams[0].text)).toEqual(
      lines(streams[1].text).map((line) => `{"jsonrpc":"2.0","id":"é\\"1","result":${line}}`),
    )
  })
})

it('every operation exists in every binding (EQ-01, JRPC-03, REST-01, GRPC-01)', async () => {
  const served = await serve()
  expect(operationNames).toHaveLength(11)
  for (const binding of allBindings) {
    for (const operation of operationNames) {
      const { error } = await callerOf(served, binding).call(operation, { id: 't', taskId: 't' })
      expect([-32601, 405, 12]).not.toContain(error?.code)
      expect(error?.message ?? '').not.toContain('Nothing is served')
    }
  }
})
