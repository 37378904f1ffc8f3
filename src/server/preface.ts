import type { Socket } from 'node:net'

const preface = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n')

/** What the first bytes of a connection say; undefined while there are too few. */
export function classify(bytes: Buffer): 'http1' | 'http2' | undefined {
  const length = Math.min(bytes.length, preface.length)
  if (preface.compare(bytes, 0, length, 0, length) !== 0) return 'http1'
  return length === preface.length ? 'http2' : undefined
}

export interface PeekOptions {
  /** Milliseconds that a connection may stay silent before it is closed. */
  readonly silence: number
  readonly decided: (socket: Socket, kind: 'http1' | 'http2') => void
  readonly gone: (socket: Socket) => void
}

/** Waits for the first bytes of a connection and puts them back before it tells what they are. */
export function peek(socket: Socket, options: PeekOptions): void {
  let seen: Buffer | undefined
  function onReadable(): void {
    const chunk = socket.read() as Buffer | null
    if (chunk === null) return
    seen = seen === undefined ? chunk : Buffer.concat([seen, chunk])
    const kind = classify(seen)
    if (kind === undefined) return
    stop()
    socket.setTimeout(0)
    socket.unshift(seen)
    options.decided(socket, kind)
  }
  function giveUp(): void {
    stop()
    socket.destroy()
    options.gone(socket)
  }
  function stop(): void {
    socket.off('readable', onReadable)
    socket.off('end', giveUp)
    socket.off('error', giveUp)
    socket.off('close', giveUp)
    socket.off('timeout', giveUp)
  }
  socket.on('readable', onReadable)
  socket.on('end', giveUp)
  socket.on('error', giveUp)
  socket.on('close', giveUp)
  socket.setTimeout(options.silence, giveUp)
}
