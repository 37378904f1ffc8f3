import type { OutgoingHttpHeaders } from 'node:http2'
import { gzipSync } from 'node:zlib'
import { type Codec, createCodec } from '../../src/bindings/grpc/codec.ts'
import { schema as schema03 } from '../../src/protocol/generated/v0-3/schema.ts'
import { schema } from '../../src/protocol/generated/v1/schema.ts'
import type { Call, Version } from './calls.ts'
import { frame } from './grpc-client.ts'
import { toTree, writeTree } from './json-tree.ts'
import { mutateBytes, mutateProto } from './mutate-bytes.ts'
import { type HttpShape, inChunks, isComplete, mutateHead, toBytes } from './mutate-http.ts'
import { mutateTree } from './mutate-json.ts'
import type { Random } from './random.ts'
import { strangeText } from './strange.ts'

/** What is sent in one round. */
export type Shot =
  | { readonly kind: 'http'; readonly bytes: Buffer; readonly complete: boolean }
  | { readonly kind: 'http2'; readonly headers: OutgoingHttpHeaders; readonly body: Buffer }
  | { readonly kind: 'grpc'; readonly headers: OutgoingHttpHeaders; readonly body: Buffer; readonly end: boolean }

type HttpCall = Extract<Call, { kind: 'http' }>
type GrpcCall = Extract<Call, { kind: 'grpc' }>

const codecs: Readonly<Record<Version, Codec>> = { '1.0': createCodec(schema), '0.3': createCodec(schema03) }

/** The call as it should be. */
export function plainShot(call: Call): Shot {
  if (call.kind === 'grpc') {
    return { kind: 'grpc', headers: grpcHeaders(call), body: frame(encode(call)), end: true }
  }
  const shape = httpShape(call)
  return { kind: 'http', bytes: toBytes(shape), complete: true }
}

/** The call with something wrong, or at least unusual. */
export function aim(random: Random, call: Call): Shot {
  if (random.percent(5)) return plainShot(call)
  return call.kind === 'grpc' ? aimGrpc(random, call) : aimHttp(random, call)
}

function httpShape({ verb, path, headers, body }: HttpCall): HttpShape {
  const text = body === undefined ? '' : JSON.stringify(body)
  return { verb, path, headers: Object.entries(headers), body: Buffer.from(text) }
}

function aimHttp(random: Random, call: HttpCall): Shot {
  const shape = httpShape(call)
  const choice = random.below(100)
  if (choice < 4) return { kind: 'http', bytes: mutateBytes(random, toBytes(shape)), complete: false }
  let shot = shape
  if (call.body !== undefined && choice < 85) {
    const body =
      choice < 20
        ? mutateBytes(random, shape.body)
        : Buffer.from(writeTree(mutateTree(random, toTree(call.body))), random.percent(98) ? 'utf8' : 'utf16le')
    shot = { ...shape, body }
  }
  if (call.body === undefined || choice >= 75) shot = mutateHead(random, shot)
  if (call.body !== undefined && random.percent(4)) shot = inChunks(random, shot)
  const complete = isComplete(shot)
  if (complete && random.percent(10)) return { kind: 'http2', headers: http2Headers(shot), body: shot.body }
  return { kind: 'http', bytes: toBytes(shot), complete }
}

function http2Headers({ verb, path, headers }: HttpShape): OutgoingHttpHeaders {
  return { ...Object.fromEntries(headers), ':method': verb, ':path': path }
}

function grpcHeaders({ path, version }: GrpcCall): OutgoingHttpHeaders {
  return {
    ':method': 'POST',
    ':path': path,
    'content-type': 'application/grpc',
    te: 'trailers',
    ...(version === '1.0' && { 'a2a-version': '1.0' }),
  }
}

function encode({ version, type, message }: GrpcCall): Buffer {
  return Buffer.from(codecs[version].encode(type, message))
}

function aimGrpc(random: Random, call: GrpcCall): Shot {
  const headers = grpcHeaders(call)
  const message = encode(call)
  const choice = random.below(100)
  if (choice < 30)
    return {
      kind: 'grpc',
      headers,
      body: frame(encodeMutated(random, call) ?? mutateProto(random, message)),
      end: true,
    }
  if (choice < 60) return { kind: 'grpc', headers, body: frame(mutateProto(random, message)), end: true }
  if (choice < 68) return { kind: 'grpc', headers, body: frame(mutateBytes(random, message)), end: true }
  if (choice < 85) return { kind: 'grpc', ...mutateFrame(random, headers, message) }
  return { kind: 'grpc', headers: mutateMetadata(random, headers), body: frame(message), end: true }
}

/** The bytes of a message whose JSON was changed; undefined when it has no bytes any more. */
function encodeMutated(random: Random, call: GrpcCall): Buffer | undefined {
  try {
    const message = JSON.parse(writeTree(mutateTree(random, toTree(call.message)))) as object
    return encode({ ...call, message })
  } catch {
    return undefined
  }
}

interface Frames {
  readonly headers: OutgoingHttpHeaders
  readonly body: Buffer
  readonly end: boolean
}

function mutateFrame(random: Random, headers: OutgoingHttpHeaders, message: Buffer): Frames {
  const whole = frame(message)
  const compressed = (encoding: string, content: Uint8Array): Frames => ({
    headers: { ...headers, 'grpc-encoding': encoding },
    body: frame(content, { flag: 1 }),
    end: true,
  })
  switch (random.below(11)) {
    case 0:
      return { headers, body: frame(message, { flag: random.below(256) }), end: true }
    case 1:
      return {
        headers,
        body: frame(message, { length: random.pick([0, 1, 2 ** 18 + 1, 2 ** 31, 2 ** 32 - 1]) }),
        end: random.percent(60),
      }
    case 2:
      return { headers, body: whole.subarray(0, random.below(whole.length)), end: random.percent(70) }
    case 3:
      return { headers, body: Buffer.concat([whole, whole]), end: true }
    case 4:
      return { headers, body: Buffer.alloc(0), end: true }
    case 5:
      return { headers, body: Buffer.concat([whole, random.bytes(1 + random.below(6))]), end: true }
    case 6:
      return compressed(random.pick(['gzip', 'deflate', 'identity', 'br', 'nonsense', '']), random.bytes(40))
    case 7:
      return compressed('gzip', gzipSync(message))
    case 8:
      return compressed('gzip', mutateBytes(random, gzipSync(message)))
    case 9:
      return compressed('gzip', gzipSync(Buffer.alloc(1024 * 1024)))
    default:
      return { headers, body: random.bytes(random.below(40)), end: true }
  }
}

const metadata: Readonly<Record<string, readonly string[]>> = {
  ':method': ['GET', 'PUT', 'OPTIONS'],
  ':path': [
    '/',
    '/invoke',
    '/lf.a2a.v1.A2AService/',
    '/lf.a2a.v1.A2AService/Nope',
    '/a2a.v1.A2AService/GetTask',
    '/nobody.Service/Method',
    '//',
    '/grpc.health.v1.Health/Check',
    '/grpc.reflection.v1.ServerReflection/ServerReflectionInfo',
    '/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo',
    `/${'x'.repeat(4_000)}`,
    '/lf.a2a.v1.A2AService/SendMessage?x=1',
    '/lf.a2a.v1.A2AService/__proto__',
    '/constructor/toString',
  ],
  'content-type': [
    'application/grpc+proto',
    'application/grpc+json',
    'application/grpc-web',
    'application/json',
    'text/plain',
    '',
  ],
  te: ['trailers', 'gzip', ''],
  'grpc-timeout': ['1m', '1n', '0S', '99999999H', '100000000H', '-1S', '1x', 'S', ''],
  'grpc-encoding': ['gzip', 'identity', 'snappy', ''],
  'grpc-accept-encoding': ['gzip,deflate', 'nonsense', ''],
  'a2a-version': ['', '0.3', '1.0', '2.0', 'x', '1.0, 0.3', '1'.repeat(500)],
  'a2a-extensions': [',', 'https://ext.example/a', 'https://ext.example/a,'.repeat(300)],
  'idempotency-key': ['one', '', 'k'.repeat(1_000)],
  'last-event-id': ['0', '-1', 'x', '99999999999999999999'],
  authorization: ['Bearer x', ''],
  'user-bin': ['AAEC', '!!!', ''],
  'grpc-tags-bin': ['\u00ff', '===='],
  'x-many': ['y'.repeat(14_000)],
}

function mutateMetadata(random: Random, headers: OutgoingHttpHeaders): OutgoingHttpHeaders {
  const name = random.pick(Object.keys(metadata))
  const value = random.percent(85) ? random.pick(metadata[name] as readonly string[]) : strangeText(random)
  return random.percent(15) && name !== ':method' && name !== ':path'
    ? omit(headers, name)
    : { ...headers, [name]: value }
}

function omit(headers: OutgoingHttpHeaders, name: string): OutgoingHttpHeaders {
  return Object.fromEntries(Object.entries(headers).filter(([other]) => other !== name))
}

/** The shot in words, for a person who wants to fire it again. */
export function describeShot(shot: Shot): string {
  if (shot.kind === 'http') return JSON.stringify(shot.bytes.subarray(0, 2_000).toString('latin1'))
  return `${JSON.stringify(shot.headers).slice(0, 600)} ${shot.body.subarray(0, 1_200).toString('base64')}`
}
