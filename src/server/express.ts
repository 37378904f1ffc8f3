import type { IncomingMessage, ServerResponse } from 'node:http'
import type { HttpHandler } from '../lib/http.ts'
import { readNodeRequest, serveNodeRequest } from './node.ts'

/** What is used of an Express request. */
export interface ExpressRequest extends IncomingMessage {
  readonly baseUrl?: string
  body?: unknown
}

/**
 * Express middleware: `app.use('/agents/echo', toExpress(handler.handle))`. A body that `express.json()` has read already
 * is used as it is. Paths that are not the agent's go to the next handler.
 */
export function toExpress(
  handle: HttpHandler,
): (request: ExpressRequest, response: ServerResponse, next: (error?: unknown) => void) => void {
  return (request, response, next) => {
    const passing: HttpHandler = async (read) => {
      const answer = await handle(read)
      if (answer.unrouted) throw unrouted
      return answer
    }
    const read = readNodeRequest(request, response, {
      ...(request.baseUrl !== undefined && { mount: request.baseUrl }),
      ...(request.readableEnded && request.body !== undefined && { parsed: request.body }),
    })
    serveNodeRequest(passing, read, { response }).catch((error) => next(error === unrouted ? undefined : error))
  }
}

const unrouted = Symbol('unrouted')
