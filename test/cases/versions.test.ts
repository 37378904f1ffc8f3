import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { connectGrpc } from '../../src/bindings/grpc/client.ts'
import { connectHttp } from '../../src/bindings/http/client.ts'
import { connectJsonRpc } from '../../src/bindings/jsonrpc/client.ts'
import type { Call, Endpoint } from '../../src/protocol/endpoint.ts'
import { A2AError } from '../../src/protocol/errors.ts'
import type { Part, SendMessageConfiguration, Task } from '../../src/protocol/generated/v1/types.ts'
import type { StreamOperation, UnaryOperation } from '../../src/protocol/operations.ts'
import { operations } from '../../src/protocol/operations.ts'
import { anybody, userMessage } from '../harness.ts'
import { anonymous } from './anonymous.ts'
import { type Served, startServed } from './served.ts'
import { type AnyBinding, allBindings } from './wire.ts'

interface Cell {
  readonly binding: AnyBinding
  readonly version: '1.0' | '0.3'
}

const cells: readonly Cell[] = (['1.0', '0.3'] as const).flatMap((version) =>
  allBindings.map((binding) => ({ binding, version })),
)
const nameOf = ({ binding, version }: Cell): string => `${version} ${binding}`

const connectors = { JSONRPC: connectJsonRpc, 'HTTP+JSON': connectHttp, GRPC: connectGrpc }

/** A caller who knows one binding and version, and thinks in 1.0. */
interface Speaker {
  readonly cell: Cell
  unary(operation: UnaryOperation, request: object): Promise<unknown>
  stream(operation: StreamOperation, request: object): Promise<unknown[]>
  send(script: string | readonly Part[], options?: Sending): Promise<unknown>
  /** The task of a send that has to make one. */
  task(script: string, options?: Sending): Promise<Task>
}

interface Sending {
  readonly message?: object
  readonly configuration?: SendMessageConfiguration
}

function speak({ url }: Served, cell: Cell): Speaker {
  const address = { JSONRPC: `${url}/invoke`, 'HTTP+JSON': url, GRPC: new URL(url).host }[cell.binding]
  const endpoint: Endpoint = connectors[cell.binding]({
    url: address,
    protocolBinding: cell.binding,
    protocolVersion: cell.version,
  })
  const context = { ...anybody, version: cell.version }
  const speaker: Speaker = {
    cell,
    unary: async (operation, request) =>
      (await endpoint.unary({ operation, request, context } as Call<UnaryOperation>)).result.value,
    async stream(operation, request) {
      const { events } = await endpoint.stream({ operation, request, context } as Call<StreamOperation>)
      const seen: unknown[] = []
      for await (const group of events) for (const event of group) seen.push(event.value)
      return seen
    },
    send: (script, { message, configuration } = {}) =>
      speaker.unary('SendMessage', {
        message: { ...userMessage(script), ...message },
        ...(configuration && { configuration }),
      }),
    async task(script, options) {
      const { task } = (await speaker.send(script, options)) as { task?: Task }
      if (task === undefined) throw new Error('expected a task')
      return task
    },
  }
  return speaker
}

type Step = (speaker: Speaker) => Promise<unknown>

const stream =
  (script: string): Step =>
  (speaker) =>
    speaker.stream('SendStreamingMessage', { message: userMessage(script) })

const about =
  (script: string, operation: UnaryOperation, rest: object = {}): Step =>
  async (speaker) => {
    const { id } = await speaker.task(script)
    return speaker.unary(operation, { id, ...rest })
  }

const scripts = [
  'done',
  'done:bye',
  'chunk:a:x done:bye',
  'chunk:a:x',
  'message:hello',
  'fail:no',
  'throw',
  'status:REJECTED:no',
  'status:INPUT_REQUIRED:which?',
  'status:AUTH_REQUIRED:sign_in',
  'status:WORKING:w chunk:a:1 chunk:a:2:append:last status:INPUT_REQUIRED',
  'status:RUNNING',
]

/** `lossy` situations are the same within a version only, as 0.3 cannot say all of it. */
const situations: readonly (readonly [name: string, step: Step, lossy?: 'lossy'])[] = [
  ...scripts.map((script) => [`a send of "${script}"`, (speaker: Speaker) => speaker.send(script)] as const),
  ...scripts
    .filter((script) => script !== 'status:AUTH_REQUIRED:sign_in')
    .map((script) => [`a stream of "${script}"`, stream(script)] as const),
  [
    'every kind of part',
    (speaker) =>
      speaker.send([
        { text: 'echo' },
        { text: 'zażółć 🦊 שלום' },
        { data: { n: 1, f: 1.5, none: null, deep: [{ a: [] }, true] } },
        { raw: 'aGk=', filename: 'a.txt', mediaType: 'text/plain' },
        { url: 'https://files.example/a', mediaType: 'text/plain' },
      ]),
  ],
  ['data that is no object', (speaker) => speaker.send([{ text: 'echo' }, { data: [1, 'two', null] }])],
  ['a media type that is not taken', (speaker) => speaker.send([{ raw: 'aGk=', mediaType: 'image/png' }])],
  ['a task that is not there', (speaker) => speaker.send('done', { message: { taskId: 'nope' } })],
  [
    'a send that does not wait',
    async (speaker) => {
      const sent = await speaker.send('status:INPUT_REQUIRED:which?', { configuration: { returnImmediately: true } })
      return Object.keys(sent as object)
    },
  ],
  ['one message of history', (speaker) => speaker.send('done:bye', { configuration: { historyLength: 1 } })],
  [
    'a follow-up',
    async (speaker) => {
      const { id, contextId } = await speaker.task('chunk:a:x status:INPUT_REQUIRED:which?')
      return speaker.send('chunk:b:y done', { message: { taskId: id, contextId } })
    },
  ],
  [
    'a follow-up to what has ended',
    async (speaker) => speaker.send('done', { message: { taskId: (await speaker.task('done')).id } }),
  ],
  ['reading a task', about('status:WORKING:w chunk:a:x done', 'GetTask')],
  ['reading a task without history', about('done', 'GetTask', { historyLength: 0 })],
  ['reading what is not there', (speaker) => speaker.unary('GetTask', { id: 'nope' })],
  ['canceling what waits', about('status:INPUT_REQUIRED:which?', 'CancelTask')],
  ['canceling what has ended', about('done', 'CancelTask')],
  ['canceling what is not there', (speaker) => speaker.unary('CancelTask', { id: 'nope' })],
  [
    'subscribing to what has ended',
    async (speaker) => speaker.stream('SubscribeToTask', { id: (await speaker.task('done')).id }),
  ],
  ['subscribing to what is not there', (speaker) => speaker.stream('SubscribeToTask', { id: 'nope' })],
  [
    'a webhook',
    (speaker) =>
      speaker.unary('CreateTaskPushNotificationConfig', { taskId: 't', id: 'c', url: 'https://hook.example' }),
  ],
  ['reading a webhook', (speaker) => speaker.unary('GetTaskPushNotificationConfig', { taskId: 't', id: 'c' })],
  ['listing webhooks', (speaker) => speaker.unary('ListTaskPushNotificationConfigs', { taskId: 't' })],
  ['deleting a webhook', (speaker) => speaker.unary('DeleteTaskPushNotificationConfig', { taskId: 't', id: 'c' })],
  ['the extended card', (speaker) => speaker.unary('GetExtendedAgentCard', {})],
]

describe('the same call over every binding in both versions', () => {
  const servers = new Map<Cell, Served>()
  beforeAll(async () => {
    for (const cell of cells) servers.set(cell, await startServed({ path: '' }))
  })
  afterAll(async () => {
    for (const served of servers.values()) await served.close()
  })

  /** What each cell sees of a step: a value, or an error without the spelling of its wire. */
  async function seenBy(step: Step): Promise<Readonly<Record<string, unknown>>> {
    const seen = await Promise.all(
      cells.map(async (cell): Promise<[string, unknown]> => {
        try {
          return [nameOf(cell), anonymous(await step(speak(servers.get(cell) as Served, cell)))]
        } catch (thrown) {
          if (!A2AError.is(thrown)) throw thrown
          const { code, message, violations } = thrown
          // Callers of 0.3 over gRPC know an error by the name before its text.
          const text = message.replace(/^[A-Z]\w+Error: /, '')
          return [nameOf(cell), anonymous({ code, message: text, fields: violations.map(({ field }) => field) })]
        }
      }),
    )
    return Object.fromEntries(seen)
  }

  for (const [name, step, lossy] of situations) {
    it(`gives the same for ${name} (EQ-01, EQ-02, EQ-03, VERS-07, VERS-10)`, async () => {
      const seen = await seenBy(step)
      for (const cell of cells) {
        const like = lossy && cell.version === '0.3' ? '0.3 JSONRPC' : '1.0 JSONRPC'
        expect({ [nameOf(cell)]: seen[nameOf(cell)] }).toEqual({ [nameOf(cell)]: seen[like] })
      }
    })
  }

  it('shows what one cell made to every other, and follows it (EQ-02)', async () => {
    const served = servers.get(cells[0] as Cell) as Served
    for (const maker of cells) {
      const { id } = await speak(served, maker).task('chunk:a:x status:INPUT_REQUIRED:which?')
      const speakers = cells.map((cell) => speak(served, cell))
      const read = await Promise.all(speakers.map((speaker) => speaker.unary('GetTask', { id })))
      for (const task of read) expect(task).toEqual(read[0])
      const followed = speakers.map((speaker) => speaker.stream('SubscribeToTask', { id }))
      await new Promise((resolve) => setTimeout(resolve, 50))
      await speak(served, maker).send('chunk:b:y:append chunk:c:z done:bye', { message: { taskId: id } })
      const last = { statusUpdate: { status: { state: 'TASK_STATE_COMPLETED' } } }
      for (const frames of await Promise.all(followed)) expect(frames.at(-1)).toMatchObject(last)
    }
  })

  it('every operation is answered in every cell (EQ-01)', async () => {
    const served = servers.get(cells[0] as Cell) as Served
    expect(operations).toHaveLength(11)
    for (const cell of cells) {
      const speaker = speak(served, cell)
      for (const { name, kind } of operations) {
        const request = { id: 't', taskId: 't', url: 'https://hook.example', message: userMessage('done') }
        const outcome = await (kind === 'stream'
          ? speaker.stream(name as StreamOperation, request)
          : speaker.unary(name as UnaryOperation, request)
        ).catch((error: unknown) => A2AError.from(error))
        if (!A2AError.is(outcome)) continue
        const known = ['TaskNotFound', 'PushNotificationNotSupported', 'UnsupportedOperation']
        expect([nameOf(cell), name, outcome.code]).toEqual([nameOf(cell), name, expect.toBeOneOf(known)])
      }
    }
  })
})
