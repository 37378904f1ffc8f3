import { BinaryReader, BinaryWriter } from '@bufbuild/protobuf/wire'
import type { SseStreams } from '../../lib/sse.ts'
import { A2AError } from '../../protocol/errors.ts'
import { answerHeaders, type GrpcCall, type GrpcMethod } from './call.ts'
import { frameOf } from './frame.ts'

/** The service that load balancers ask whether an instance takes calls (gRPC health checking protocol). */
export const healthService = 'grpc.health.v1.Health'

const states = { SERVING: 1, NOT_SERVING: 2, SERVICE_UNKNOWN: 3 } as const

const frames = {
  SERVING: stateFrame(states.SERVING),
  NOT_SERVING: stateFrame(states.NOT_SERVING),
  SERVICE_UNKNOWN: stateFrame(states.SERVICE_UNKNOWN),
}

export interface HealthOptions {
  readonly services: readonly string[]
  readonly streams: SseStreams
}

/** Adds `Check` and `Watch`: all is well for `''` and each service until the server drains. */
export function addHealth(methods: Map<string, GrpcMethod>, { services, streams }: HealthOptions): void {
  const known: ReadonlySet<string> = new Set(['', healthService, ...services])
  const state = (): 'SERVING' | 'NOT_SERVING' => (streams.draining ? 'NOT_SERVING' : 'SERVING')

  methods.set(`/${healthService}/Check`, (call) =>
    call.readOne((message) => {
      const service = readService(message)
      if (!known.has(service)) throw new A2AError('NotFound', `There is no service ${quote(service)} here`)
      call.answer(frames[state()])
    }),
  )
  methods.set(`/${healthService}/Watch`, (call) =>
    call.readOne((message) => {
      const service = readService(message)
      call.beginStream(answerHeaders)
      watch(call, { streams, state: known.has(service) ? state : () => 'SERVICE_UNKNOWN' })
    }),
  )
}

interface WatchOptions {
  readonly streams: SseStreams
  readonly state: () => keyof typeof states
}

/** Tells the state now and whenever it changes, until the caller leaves or the server ends. */
function watch(call: GrpcCall, { streams, state }: WatchOptions): void {
  let told: string | undefined
  const tell = (): void => {
    const now = state()
    if (now === told || call.isOver) return
    told = now
    call.stream.write(frames[now])
  }
  const closed = streams.track({
    tick: () => {},
    drain: tell,
    end: () => call.fail(new A2AError('Unavailable', 'The server is going down')),
  })
  call.onLeave(closed)
  tell()
}

function readService(message: Uint8Array): string {
  try {
    const reader = new BinaryReader(message)
    let service = ''
    while (reader.pos < reader.len) {
      const [field, type] = reader.tag()
      if (field === 1) service = reader.string()
      else reader.skip(type, field)
    }
    return service
  } catch (cause) {
    throw new A2AError('ParseError', 'The message is not a valid HealthCheckRequest of protocol buffers', { cause })
  }
}

function stateFrame(state: number): Buffer {
  return frameOf(new BinaryWriter().uint32(8).uint32(state).finish())
}

function quote(text: string): string {
  return JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}…` : text)
}
