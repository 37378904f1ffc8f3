import { promisify } from 'node:util'
import { constants, gunzip, gzip } from 'node:zlib'
import type { HttpHeaders } from '../../lib/http.ts'
import { A2AError } from '../../protocol/errors.ts'
import { frameOf } from './frame.ts'
import { messageTooLarge } from './limits.ts'

/** What `grpc-accept-encoding` says of this side. */
export const acceptedEncodings = 'identity,gzip'

const inflate = promisify(gunzip)
const deflate = promisify<Uint8Array, { readonly level: number }, Buffer>(gzip)

/**
 * Messages that are shorter are sent as they are: little is won by squeezing them. The bound is higher for callers that
 * say they can read gzip, but do not write it themselves.
 */
const worthSqueezing = { asked: 256, accepted: 16_384 }

/** From how many bytes on answers are compressed; undefined for never. */
export function squeezeFrom(headers: HttpHeaders): number | undefined {
  const accepted = headers['grpc-accept-encoding']
  if (accepted === undefined || !accepted.includes('gzip')) return undefined
  return headers['grpc-encoding'] === 'gzip' ? worthSqueezing.asked : worthSqueezing.accepted
}

/** Throws MethodNotFound, which is UNIMPLEMENTED, for an encoding that is not read here. */
export function checkEncoding(headers: HttpHeaders): void {
  const encoding = headers['grpc-encoding']
  if (encoding === undefined || encoding === 'identity' || encoding === 'gzip') return
  const text = `grpc-encoding ${JSON.stringify(encoding.slice(0, 40))} is not read here; use gzip, or send messages as they are`
  throw new A2AError('MethodNotFound', text)
}

/** The message of a frame whose flag says that it is compressed. Rejects when it has more than `limit` bytes, or is broken. */
export async function decompress(
  payload: Buffer,
  { headers, limit }: { readonly headers: HttpHeaders; readonly limit: number },
): Promise<Buffer> {
  if (headers['grpc-encoding'] !== 'gzip') {
    throw new A2AError('Internal', 'A message says that it is compressed, but grpc-encoding does not say how')
  }
  try {
    return await inflate(payload, { maxOutputLength: limit })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') throw messageTooLarge(limit)
    throw new A2AError('InvalidRequest', 'A message says that it is compressed by gzip, but it cannot be read so')
  }
}

/** A compressed message with its prefix. */
export async function compressedFrame(message: Uint8Array): Promise<Buffer> {
  return frameOf(await deflate(message, { level: constants.Z_BEST_SPEED }), true)
}
