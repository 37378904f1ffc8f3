import { createServer, type ServerHttp2Session, type ServerHttp2Stream } from 'node:http2'
import type { Socket } from 'node:net'
import type { GrpcHandler } from '../bindings/grpc/server.ts'
import type { HttpHandler } from '../lib/http.ts'
import type { Logger } from '../lib/log.ts'
import { isGrpcStream } from './grpc.ts'
import { serveHttp2Stream } from './http2.ts'
import { StallWatch } from './stall.ts'

export interface Http2Options {
  readonly handle: HttpHandler
  readonly grpc: GrpcHandler | undefined
  readonly log: Logger
  /** Milliseconds, as in `ConnectionLimits`. */
  readonly limits: { readonly request: number; readonly idle: number; readonly stall: number }
}

/** Speaks HTTP/2 on connections that others have accepted. */
export interface Http2Server {
  accept(socket: Socket): void
  /** Lets streams end and takes no new ones. */
  drain(): void
  /** Ends every connection. */
  close(): void
}

const settings = {
  settings: { maxConcurrentStreams: 1_000 },
  // All calls of a client share one connection, so its memory is bounded by its streams: each holds back what is not read.
  maxSessionMemory: 1_000,
  // A gateway leaves the calls of many callers on one connection; a flood of resets is a hundred times as fast.
  streamResetBurst: 10_000,
  streamResetRate: 1_000,
}

/** Makes the HTTP/2 side of a listener. */
export function createHttp2Server({ handle, grpc, log, limits }: Http2Options): Http2Server {
  const { request, idle, stall } = limits
  const sessions = new Set<ServerHttp2Session>()
  const watch = new StallWatch(stall)
  const server = createServer(settings)
  let draining = false

  server.on('stream', (stream, headers) => {
    if (grpc !== undefined && isGrpcStream(headers)) return grpc(stream, headers, { request, stall })
    serveHttp2Stream(handle, { stream, headers, request, stall }).catch((error) => {
      log.error('an answer could not be written', { cause: error })
      stream.destroy()
    })
  })
  server.on('sessionError', () => {})
  server.on('session', (session) => {
    endLater(session)
    sessions.add(session)
    session.once('close', () => sessions.delete(session))
    // A stream may be silent for longer than its connection may be idle.
    const streams = new Set<ServerHttp2Stream>()
    session.on('stream', (stream) => {
      streams.add(stream)
      watch.add(stream)
      stream.once('close', () => {
        streams.delete(stream)
        watch.delete(stream)
      })
    })
    session.setTimeout(idle)
    session.on('timeout', () => {
      // What broke the rules of HTTP/2 hears nothing any more, and is never closed by itself.
      const late = setTimeout(() => session.destroy(), Math.min(idle, 10_000))
      const stop = (): void => {
        clearTimeout(late)
        session.off('close', stop)
      }
      session.once('close', stop)
      if (streams.size === 0) session.close()
      else {
        session.ping((error) => error === null && stop())
        session.setTimeout(idle)
      }
    })
    if (draining) session.close()
  })

  return {
    accept: (socket) => void server.emit('connection', socket),
    drain: () => {
      draining = true
      for (const session of sessions) session.close()
    },
    close: () => {
      watch.close()
      for (const session of sessions) session.destroy()
      server.close()
    },
  }
}

/**
 * `node:http2` ends a session from within the callbacks of its parser, which goes on with what it has just freed when the
 * packet holds more: the process aborts. Ended at the end of the turn, the session outlives its packet.
 */
function endLater(session: ServerHttp2Session): void {
  const close = session.close.bind(session)
  const destroy = session.destroy.bind(session)
  session.close = (callback) => void setImmediate(() => close(callback))
  session.destroy = (error, code) => void setImmediate(() => destroy(error, code))
}
