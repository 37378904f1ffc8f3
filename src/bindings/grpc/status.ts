import type { JsonValue } from '../../lib/json.ts'
import { type A2AError, type ErrorDetail, errorDetails } from '../../protocol/errors.ts'
import { createCodec } from './codec.ts'
import { detailTypes, rpcSchema } from './rpc-schema.ts'

const codec = createCodec(rpcSchema)
const prefix = 'type.googleapis.com/google.rpc.'

/** What a `google.rpc.Status` says besides its details, and how long it may become. */
export interface StatusOptions {
  readonly code: number
  readonly message: string
  /** Bytes; details that do not fit are left out, the last ones first. No limit unless given. */
  readonly limit?: number
}

/** An error as the bytes of a `google.rpc.Status` (`grpc-status-details-bin`, §10.6); undefined where it has no details. */
export function encodeStatusDetails(
  error: A2AError,
  { code, message, limit = Number.POSITIVE_INFINITY }: StatusOptions,
): Uint8Array | undefined {
  const packed = allDetails(error).flatMap((detail) => pack(detail) ?? [])
  while (packed.length > 0) {
    const bytes = codec.encode('Status', { code, message, details: packed })
    if (bytes.length <= limit) return bytes
    const last = packed.pop() as Any
    const shorter = shorten(last)
    if (shorter !== undefined) packed.push(shorter)
  }
  return undefined
}

interface Any {
  readonly typeUrl: string
  /** Base64. */
  readonly value: string
}

function allDetails(error: A2AError): ErrorDetail[] {
  const details = errorDetails(error)
  const { retryAfter } = error
  if (retryAfter === undefined || details.some((detail) => detail['@type'] === `${prefix}RetryInfo`)) return details
  return [...details, { '@type': `${prefix}RetryInfo`, retryDelay: `${retryAfter}s` }]
}

/** A BadRequest with half of its violations; undefined where nothing can be left out. */
function shorten({ typeUrl, value }: Any): Any | undefined {
  if (typeUrl !== `${prefix}BadRequest`) return undefined
  const violations = codec.decode('BadRequest', Buffer.from(value, 'base64')).fieldViolations as unknown[]
  if (violations.length < 2) return undefined
  const fieldViolations = violations.slice(0, violations.length >> 1)
  return { typeUrl, value: base64(codec.encode('BadRequest', { fieldViolations })) }
}

/** A detail as bytes; undefined for one that is of no known type, or not as its type says. */
function pack(detail: ErrorDetail): Any | undefined {
  const { '@type': typeUrl, ...members } = detail
  const type = typeOf(typeUrl)
  try {
    if (type !== undefined) return { typeUrl, value: base64(codec.encode(type, toMessage(type, members))) }
    if (typeof members.value === 'string') return { typeUrl, value: base64(Buffer.from(members.value, 'base64')) }
  } catch {
    // A detail that its maker spelled wrong is no reason to lose the error.
  }
  return undefined
}

/** What a `google.rpc.Status` tells; details are in ProtoJSON. */
export interface StatusDetails {
  readonly message: string
  readonly details: readonly ErrorDetail[]
}

/** Reads the bytes of a `google.rpc.Status`; those that are none tell nothing. */
export function decodeStatusDetails(bytes: Uint8Array): StatusDetails {
  try {
    const { message = '', details = [] } = codec.decode('Status', bytes) as {
      message?: string
      details?: Partial<Any>[]
    }
    return { message, details: details.map(unpack) }
  } catch {
    return { message: '', details: [] }
  }
}

/** A detail in ProtoJSON; one of an unknown type keeps its bytes as base64. */
function unpack({ typeUrl = '', value = '' }: Partial<Any>): ErrorDetail {
  const type = typeOf(typeUrl)
  try {
    if (type !== undefined) {
      const message = codec.decode(type, Buffer.from(value, 'base64')) as Readonly<Record<string, JsonValue>>
      return { '@type': typeUrl, ...fromMessage(type, message) }
    }
  } catch {
    // What it holds is not what its type says.
  }
  return { '@type': typeUrl, value }
}

function typeOf(typeUrl: string): string | undefined {
  if (typeUrl.endsWith('/google.protobuf.Struct')) return 'Struct'
  const name = typeUrl.slice(prefix.length)
  return typeUrl.startsWith(prefix) && detailTypes.has(name) ? name : undefined
}

type Members = Readonly<Record<string, JsonValue>>

/** The two types whose ProtoJSON is not that of their fields: a Duration is a text, a Struct is its object. */
function toMessage(type: string, members: Members): object {
  if (type === 'Struct') return { fields: members.value }
  if (type !== 'RetryInfo' || typeof members.retryDelay !== 'string') return members
  const delay = Number.parseFloat(members.retryDelay)
  const seconds = Math.trunc(delay)
  return { retryDelay: { seconds, nanos: Math.round((delay - seconds) * 1e9) } }
}

function fromMessage(type: string, message: Members): Members {
  if (type === 'Struct') return { value: message.fields ?? {} }
  if (type !== 'RetryInfo') return message
  const { seconds = 0, nanos = 0 } = (message.retryDelay ?? {}) as { seconds?: number; nanos?: number }
  return { retryDelay: `${seconds + nanos / 1e9}s` }
}

function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64')
}

const unsafe = /[^\x20-\x24\x26-\x7e]/

/** A text as it stands in `grpc-message`: bytes of UTF-8 that are not printable, and `%`, are percent-encoded. */
export function encodeGrpcMessage(text: string): string {
  if (!unsafe.test(text)) return text
  let encoded = ''
  for (const byte of Buffer.from(text, 'utf8')) {
    const plain = byte >= 0x20 && byte <= 0x7e && byte !== 0x25
    encoded += plain ? String.fromCharCode(byte) : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`
  }
  return encoded
}

/** The text of a `grpc-message`; what is not percent-encoded correctly stays as it is. */
export function decodeGrpcMessage(encoded: string): string {
  if (!encoded.includes('%')) return encoded
  const bytes = encoded.replaceAll(/%([0-9A-Fa-f]{2})/g, (_, digits) =>
    String.fromCharCode(Number.parseInt(digits, 16)),
  )
  return Buffer.from(bytes, 'latin1').toString('utf8')
}
