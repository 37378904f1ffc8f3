import { type RawConnection, rawConnection } from './plain-http.ts'

/** Frame types and flags (RFC 9113 §6). */
export const frameTypes = {
  data: 0,
  headers: 1,
  priority: 2,
  reset: 3,
  settings: 4,
  pushPromise: 5,
  ping: 6,
  goaway: 7,
  windowUpdate: 8,
  continuation: 9,
} as const
export const endStream = 1
export const endHeaders = 4

export interface FrameFields {
  readonly flags?: number
  readonly stream?: number
  readonly payload?: Uint8Array
}

/** One frame, written byte by byte. */
export function frame(type: number, { flags = 0, stream = 0, payload = new Uint8Array() }: FrameFields = {}): Buffer {
  const head = Buffer.alloc(9)
  head.writeUIntBE(payload.length, 0, 3)
  head.writeUInt8(type, 3)
  head.writeUInt8(flags, 4)
  head.writeUInt32BE(stream, 5)
  return Buffer.concat([head, payload])
}

/** A number of 32 bits. */
export function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value)
  return bytes
}

function literal(text: string): Buffer {
  const bytes = Buffer.from(text, 'latin1')
  if (bytes.length < 127) return Buffer.concat([Buffer.from([bytes.length]), bytes])
  const length: number[] = [127]
  let rest = bytes.length - 127
  for (; rest >= 128; rest >>= 7) length.push((rest & 127) | 128)
  return Buffer.concat([Buffer.from([...length, rest]), bytes])
}

/** A header block without any compression (RFC 7541 §6.2.2). */
export function headerBlock(headers: readonly (readonly [name: string, value: string])[]): Buffer {
  return Buffer.concat(headers.flatMap(([name, value]) => [Buffer.from([0]), literal(name), literal(value)]))
}

/** The headers of a plain request. */
export function requestHeaders(method: string, path: string): (readonly [string, string])[] {
  return [
    [':method', method],
    [':path', path],
    [':scheme', 'http'],
    [':authority', 'x'],
    ['a2a-version', '1.0'],
    ['content-type', 'application/json'],
  ]
}

/** A request in one HEADERS frame. */
export function request(
  stream: number,
  method: string,
  { path, flags = endHeaders | endStream }: { path: string; flags?: number },
): Buffer {
  return frame(frameTypes.headers, { flags, stream, payload: headerBlock(requestHeaders(method, path)) })
}

/** Opens an HTTP/2 connection by prior knowledge: the preface and empty settings, then silence. */
export async function http2Connection(url: string): Promise<RawConnection> {
  const connection = await rawConnection(url)
  connection.socket.write(Buffer.concat([Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'), frame(frameTypes.settings)]))
  return connection
}
