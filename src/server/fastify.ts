import type { IncomingMessage, ServerResponse } from 'node:http'
import type { HttpHandler } from '../lib/http.ts'
import { readNodeRequest, serveNodeRequest } from './node.ts'

/** What is used of a Fastify instance. */
export interface FastifyInstance {
  readonly prefix: string
  removeAllContentTypeParsers(): void
  addContentTypeParser(
    type: string,
    parse: (request: unknown, payload: unknown, done: (error: Error | null, body?: unknown) => void) => void,
  ): unknown
  all(path: string, answer: (request: FastifyRequest, reply: FastifyReply) => void): unknown
}

export interface FastifyRequest {
  readonly raw: IncomingMessage
}

export interface FastifyReply {
  readonly raw: ServerResponse
  hijack(): unknown
}

/**
 * A Fastify plugin: `app.register(toFastify(handler.handle), { prefix: '/agents/echo' })`. Bodies inside the prefix stay
 * unread for the handler; parsers outside it are not touched.
 */
export function toFastify(
  handle: HttpHandler,
): (instance: FastifyInstance, options: unknown, done: (error?: Error) => void) => void {
  return (instance, _options, done) => {
    const mount = instance.prefix.replace(/\/+$/, '')
    instance.removeAllContentTypeParsers()
    instance.addContentTypeParser('*', (_request, _payload, ready) => ready(null))
    const answer = (request: FastifyRequest, reply: FastifyReply): void => {
      reply.hijack()
      const target = request.raw.url ?? '/'
      const url = target.startsWith(mount) ? target.slice(mount.length) : target
      const read = readNodeRequest(request.raw, reply.raw, { mount, url: url.startsWith('/') ? url : `/${url}` })
      serveNodeRequest(handle, read, { response: reply.raw }).catch(() => reply.raw.destroy())
    }
    instance.all('/', answer)
    instance.all('/*', answer)
    done()
  }
}
