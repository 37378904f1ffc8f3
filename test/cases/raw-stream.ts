import { request as httpRequest, type IncomingMessage } from 'node:http'
import { createParser } from 'eventsource-parser'
import type { StreamResponse, Task } from '../../src/protocol/generated/v1/types.ts'
import { applyEvent } from '../../src/protocol/task.ts'
import { onCleanup } from '../harness.ts'
import { openGrpc } from './grpc.ts'
import {
  type Caller,
  type CallOptions,
  readError,
  type SeenError,
  sendRequest,
  type WireRequest,
  wireRequest,
} from './wire.ts'

/** One frame of a stream as it stood on the wire. */
export interface SeenFrame {
  /** The `id:` line. */
  readonly id: number | undefined
  readonly value: StreamResponse | undefined
  readonly error: SeenError | undefined
  /** The id of the JSON-RPC envelope. */
  readonly requestId: unknown
}

/** An answer that is read as it comes, over a connection that can be cut. */
export interface RawStream {
  readonly status: number
  readonly headers: IncomingMessage['headers']
  /** All that came so far. */
  readonly text: string
  readonly comments: readonly string[]
  /** The `retry:` value, once there is one. */
  readonly retry: number | undefined
  /** The next frame; undefined at the end. */
  next(): Promise<SeenFrame | undefined>
  /** Every frame from here to the end. */
  rest(): Promise<SeenFrame[]>
  /** Whether the end came as it should, once it came. */
  ended(): Promise<'ended' | 'cut'>
  /** Stops reading, so that the sender fills what lies between. */
  stall(): void
  /** Reads on. */
  resume(): void
  /** Drops the TCP connection. */
  cut(): void
}

/** Opens an event stream, or whatever is answered instead. */
export function openStream(
  caller: Caller,
  operation: string,
  request: Readonly<Record<string, unknown>>,
  options?: CallOptions,
): Promise<RawStream> {
  const { url } = caller
  if (caller.binding === 'GRPC') return openGrpc({ url, operation, request, options })
  const wire = wireRequest(caller.binding, operation, { request, options })
  return openRequest(caller, wire)
}

/** Sends a script by SendStreamingMessage. */
export function streamScript(
  caller: Caller,
  script: string,
  options?: Parameters<typeof sendRequest>[1],
): Promise<RawStream> {
  return openStream(caller, 'SendStreamingMessage', sendRequest(script, options), options)
}

/** Sends a request and gives the answer from its head on. */
export async function openRequest(caller: Pick<Caller, 'url' | 'binding'>, wire: WireRequest): Promise<RawStream> {
  const outgoing = httpRequest(caller.url + wire.path, { method: wire.method, headers: wire.headers, agent: false })
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    outgoing.once('response', resolve)
    outgoing.once('error', reject)
    outgoing.end(wire.body)
  })
  outgoing.on('error', () => {})
  onCleanup(async () => void outgoing.destroy())
  return readStream(answer, caller)
}

function readStream(answer: IncomingMessage, { binding }: Pick<Caller, 'binding'>): RawStream {
  const frames: SeenFrame[] = []
  let taken = 0
  const comments: string[] = []
  let text = ''
  let retry: number | undefined
  let over: 'ended' | 'cut' | undefined
  let wake = (): void => {}
  const parser = createParser({
    onEvent({ id, data }) {
      const body = JSON.parse(data) as { id?: unknown; result?: StreamResponse }
      const error = readError(binding, body)
      const value = binding === 'JSONRPC' ? body.result : (body as StreamResponse)
      frames.push({
        id: id === undefined ? undefined : Number(id),
        value: error === undefined ? value : undefined,
        error,
        requestId: body.id,
      })
    },
    onComment: (comment) => void comments.push(comment),
    onRetry: (milliseconds) => {
      retry = milliseconds
    },
  })
  answer.setEncoding('utf8')
  answer.on('data', (piece: string) => {
    text += piece
    parser.feed(piece)
    wake()
  })
  answer.on('error', () => {})
  answer.on('close', () => {
    over = answer.complete ? 'ended' : 'cut'
    wake()
  })
  const change = (): Promise<void> =>
    new Promise((resolve) => {
      wake = resolve
    })
  const stream: RawStream = {
    status: answer.statusCode ?? 0,
    headers: answer.headers,
    comments,
    get text() {
      return text
    },
    get retry() {
      return retry
    },
    async next() {
      while (taken === frames.length && over === undefined) await change()
      return taken < frames.length ? frames[taken++] : undefined
    },
    async rest() {
      while (over === undefined) await change()
      const all = frames.slice(taken)
      taken = frames.length
      return all
    },
    async ended() {
      while (over === undefined) await change()
      return over
    },
    stall: () => void answer.pause(),
    resume: () => void answer.resume(),
    cut: () => void answer.socket.destroy(),
  }
  return stream
}

/** The id of the task in the first frame of a stream. */
export async function taskIdOf(stream: RawStream): Promise<string> {
  const frame = await stream.next()
  const id = frame?.value?.task?.id
  if (id === undefined) throw new Error(`the stream did not begin with a task: ${stream.text}`)
  return id
}

/** The task that frames make, by the one meaning of an event. */
export function fold(frames: readonly SeenFrame[], start?: Task): Task | undefined {
  return frames.reduce<Task | undefined>((task, { value }) => applyEvent(task, value as StreamResponse), start)
}

/** What each frame is, in a word; the numbers of a stream must rise by more than nothing. */
export function shapes(frames: readonly SeenFrame[]): string[] {
  return frames.map(({ value, error }) => {
    if (error !== undefined) return `error ${error.code}`
    if (value?.statusUpdate) return value.statusUpdate.status.state.replace('TASK_STATE_', '')
    if (value?.task) return `task ${value.task.status.state.replace('TASK_STATE_', '')}`
    if (value?.message) return 'message'
    const { artifact, append } = value?.artifactUpdate ?? { artifact: { artifactId: '', parts: [] } }
    return `${append ? '+' : ''}${artifact.artifactId}:${artifact.parts.map((part) => part.text ?? '?').join('|')}`
  })
}
