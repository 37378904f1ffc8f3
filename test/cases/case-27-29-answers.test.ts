import type { ServerResponse } from 'node:http'
import { describe, expect, it } from 'vitest'
import type { Agent } from '../../src/client/agent.ts'
import type { ConnectOptions } from '../../src/client/options.ts'
import {
  beginStream,
  cardOf,
  chunkOf,
  connectFast,
  rpcFrame,
  type SeenRequest,
  sendJson,
  sendResult,
  startPeer,
  statusOf,
  taskOf,
  writePieces,
} from '../../src/client/testing.ts'
import type { JsonObject, StreamResponse, Task } from '../../src/protocol/generated/v1/types.ts'
import { applyEvent } from '../../src/protocol/task.ts'
import { onCleanup } from '../harness.ts'
import { type BindingName, bindingNames } from './wire.ts'

interface PeerOptions extends ConnectOptions {
  readonly binding?: BindingName
  readonly streaming?: boolean
}

/** A peer that answers every send by hand, and our client that knows it. */
async function peer(
  answer: (request: SeenRequest, response: ServerResponse) => void | Promise<void>,
  { binding = 'JSONRPC', streaming = true, ...options }: PeerOptions,
): Promise<Agent> {
  const started = await startPeer(answer)
  onCleanup(() => started.close())
  const url = binding === 'JSONRPC' ? `${started.url}/rpc` : started.url
  const supportedInterfaces = [{ url, protocolBinding: binding, protocolVersion: '1.0' }]
  return connectFast(cardOf(started.url, { supportedInterfaces, capabilities: { streaming } }), options)
}

const says = (text: string): JsonObject => ({ messageId: 'm1', role: 'ROLE_AGENT', parts: [{ text }] })
const submitted: JsonObject = { task: taskOf('TASK_STATE_SUBMITTED') }
const artifact = chunkOf('a', '42')
const empty: JsonObject = {
  artifactUpdate: { taskId: 't1', contextId: 'c1', artifact: { artifactId: 'a', parts: [] } },
}
const end = (state: string, text?: string): JsonObject =>
  statusOf(state, text === undefined ? {} : { message: says(text) })
const done = 'TASK_STATE_COMPLETED'
const asks = 'TASK_STATE_INPUT_REQUIRED'

interface Row {
  readonly name: string
  readonly events: readonly JsonObject[]
  readonly text: string
  readonly statusText?: string
  readonly ok?: boolean
}

const rows: readonly Row[] = [
  { name: 'an artifact, then the end without a word', events: [submitted, artifact, end(done)], text: '42' },
  { name: 'the answer in the status only', events: [submitted, end(done, '42')], text: '42', statusText: '42' },
  { name: 'the same text in both', events: [submitted, artifact, end(done, '42')], text: '42', statusText: '42' },
  {
    name: 'another text in the status',
    events: [submitted, artifact, end(done, 'all done')],
    text: '42',
    statusText: 'all done',
  },
  {
    name: 'the answer in a status before the last',
    events: [submitted, end('TASK_STATE_WORKING', '42'), end(done)],
    text: '42',
  },
  { name: 'only a message', events: [{ message: says('42') }], text: '42' },
  { name: 'a message without parts', events: [{ message: { ...says(''), parts: [] } }], text: '' },
  {
    name: 'a question after part of an answer',
    events: [submitted, artifact, end(asks, 'which?')],
    text: '42\nwhich?',
    statusText: 'which?',
    ok: false,
  },
  {
    name: 'a question alone',
    events: [submitted, end(asks, 'which?')],
    text: 'which?',
    statusText: 'which?',
    ok: false,
  },
  {
    name: 'a sign-in',
    events: [submitted, end('TASK_STATE_AUTH_REQUIRED', 'sign in')],
    text: 'sign in',
    statusText: 'sign in',
    ok: false,
  },
  {
    name: 'a failure after part of an answer',
    events: [submitted, artifact, end('TASK_STATE_FAILED', 'broke')],
    text: '42\nbroke',
    statusText: 'broke',
    ok: false,
  },
  { name: 'a refusal', events: [submitted, end('TASK_STATE_REJECTED', 'no')], text: 'no', statusText: 'no', ok: false },
  { name: 'an artifact without parts', events: [submitted, empty, end(done)], text: '' },
  {
    name: 'an artifact without parts, and a status',
    events: [submitted, empty, end(done, '42')],
    text: '42',
    statusText: '42',
  },
  {
    name: 'chunks that are appended',
    events: [submitted, chunkOf('a', '4'), chunkOf('a', '2', { append: true, lastChunk: true }), end(done)],
    text: '42',
  },
  { name: 'a chunk that replaces', events: [submitted, chunkOf('a', 'draft'), artifact, end(done)], text: '42' },
  {
    name: 'nothing but a whole task',
    events: [{ task: taskOf(done, { artifacts: [{ artifactId: 'a', parts: [{ text: '42' }] }] }) }],
    text: '42',
  },
  {
    name: 'a whole task once more before the end',
    events: [
      submitted,
      artifact,
      { task: taskOf(done, { artifacts: [{ artifactId: 'a', parts: [{ text: '42' }] }] }) },
    ],
    text: '42',
  },
]

/** What a server without streams would have stored. */
function answerOf(events: readonly JsonObject[]): JsonObject {
  const [first] = events
  if (first !== undefined && 'message' in first) return first
  const all = events as unknown as StreamResponse[]
  return {
    task: all.reduce<Task | undefined>((task, event) => applyEvent(task, event), undefined) as unknown as JsonObject,
  }
}

const modes: readonly { readonly binding: BindingName; readonly streaming: boolean }[] = bindingNames.flatMap(
  (binding) => [
    { binding, streaming: true },
    { binding, streaming: false },
  ],
)

describe.each(modes)('over $binding, streaming: $streaming', ({ binding, streaming }) => {
  it.each(rows)('Case 27: $name', async ({ events, text, statusText = '', ok = true }) => {
    const agent = await peer(
      async (request, response) => {
        if (!streaming) {
          const answer = answerOf(events)
          return binding === 'JSONRPC' ? sendResult(response, request, answer) : sendJson(response, answer)
        }
        beginStream(response)
        const frames = events.map((event) =>
          binding === 'JSONRPC' ? rpcFrame(request, event) : `data: ${JSON.stringify(event)}\n\n`,
        )
        await writePieces(response, frames)
        response.end()
      },
      { binding, streaming },
    )
    const result = await agent.send('what is it?')
    expect({ text: result.text, statusText: result.statusText, ok: result.ok }).toEqual({ text, statusText, ok })
  })
})

/** The lines of a stream of three events, in each way that the format allows. */
const spellings: readonly (readonly [name: string, spell: (events: readonly string[]) => string])[] = [
  ['CRLF', (events) => events.map((event) => `data: ${event}\r\n\r\n`).join('')],
  ['lone CR', (events) => events.map((event) => `data: ${event}\r\r`).join('')],
  ['mixed line ends', ([one, two, three]) => `data: ${one}\r\n\ndata: ${two}\n\r\ndata: ${three}\r\r\n`],
  ['a byte-order mark', (events) => `\uFEFF${events.map((event) => `data: ${event}\n\n`).join('')}`],
  [
    'several data lines',
    (events) =>
      events
        .map(
          (event) =>
            `${JSON.stringify(JSON.parse(event), null, 1)
              .split('\n')
              .map((line) => `data: ${line}\n`)
              .join('')}\n`,
        )
        .join(''),
  ],
  ['no space after the colon', (events) => events.map((event) => `data:${event}\n\n`).join('')],
  ['comments', (events) => events.map((event) => `: ping\n\n:\ndata: ${event}\n: pong\n\n: ping\n`).join('')],
  ['unknown fields', (events) => events.map((event) => `colour: red\ndata: ${event}\nDATA: no\n\n`).join('')],
  [
    'named events, ids and retries',
    (events) => events.map((event, at) => `event: message\nid: ${at}x\nretry: 7\ndata: ${event}\n\n`).join(''),
  ],
  ['blank lines in plenty', (events) => `\n\n\n${events.map((event) => `data: ${event}\n\n\n\n`).join('')}`],
  ['a last frame without its blank line', (events) => events.map((event) => `data: ${event}`).join('\n\n')],
]

describe.each(bindingNames)('over %s', (binding) => {
  const text = 'é€😀\u2028"\\'
  const events = [submitted, chunkOf('a', text), end(done)]
  const wrap = ({ body }: SeenRequest, event: JsonObject): string =>
    JSON.stringify(binding === 'JSONRPC' ? { jsonrpc: '2.0', id: body.id, result: event } : event)

  for (const [name, spell] of spellings) {
    it(`Case 29: ${name}, whole and cut at every byte (SSE-03)`, async () => {
      const cuts: ((bytes: Buffer) => Buffer[])[] = [
        (bytes) => [bytes],
        (bytes) => Array.from(bytes, (_, at) => bytes.subarray(at, at + 1)),
        (bytes) => [bytes.subarray(0, bytes.length >> 1), bytes.subarray(bytes.length >> 1)],
      ]
      const agent = await peer(
        async (request, response) => {
          const bytes = Buffer.from(spell(events.map((event) => wrap(request, event))))
          beginStream(response)
          await writePieces(response, (cuts.shift() as (bytes: Buffer) => Buffer[])(bytes))
          response.end()
        },
        { binding },
      )
      for (let turn = 0; turn < 3; turn++) expect((await agent.send('go')).text).toBe(text)
    })
  }

  it('Case 29: a frame of 5 MB passes, one over the limit is refused in words that say so', async () => {
    const large = 'x'.repeat(5_000_000)
    const answer = async (request: SeenRequest, response: ServerResponse): Promise<void> => {
      beginStream(response)
      for (const event of [submitted, chunkOf('a', large), end(done)])
        response.write(`data: ${wrap(request, event)}\n\n`)
      response.end()
    }
    expect((await (await peer(answer, { binding })).send('go')).text).toHaveLength(large.length)
    const strict = await peer(answer, { binding, limits: { bytes: 1_000_000 } })
    await expect(strict.send('go')).rejects.toMatchObject({ message: expect.stringMatching(/longer than 1000000/) })
  })

  it('Case 29: an unfinished frame is dropped, and what it was to say is asked for again', async () => {
    let turn = 0
    const agent = await peer(
      async (request, response) => {
        beginStream(response)
        const frames = events.map((event) => `data: ${wrap(request, event)}\n\n`)
        const text = turn++ === 0 ? frames.join('').slice(0, -40) : `data: ${wrap(request, answerOf(events))}\n\n`
        await writePieces(response, [text])
        response.end()
      },
      { binding },
    )
    expect((await agent.send('go')).text).toBe(text)
    expect(turn).toBe(2)
  })
})
