import type { HttpHandler } from '../lib/http.ts'
import { createFetch, type FetchOptions } from './fetch.ts'

/** What is used of a Hono context. */
export interface HonoContext {
  readonly req: { readonly raw: Request }
}

/** A Hono handler: `app.all('/agents/echo/*', toHono(handler.handle, { mount: '/agents/echo' }))`. */
export function toHono(handle: HttpHandler, options?: FetchOptions): (context: HonoContext) => Promise<Response> {
  const answer = createFetch(handle, options)
  return (context) => answer(context.req.raw)
}
