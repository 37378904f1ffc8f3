import { apiHeaders } from '../bindings/failure.ts'
import type { HttpHandler, HttpRequest, HttpResponse } from '../lib/http.ts'
import { metricsType } from '../observe/metrics.ts'
import { A2AError } from '../protocol/errors.ts'
import { type Readiness, readinessAnswer } from './readiness.ts'

/** What is told to those who look after a server. */
export interface AdminPages {
  /** The text of all metrics. */
  readonly metrics: () => Promise<string>
  readonly readiness: () => Promise<Readiness>
}

/** Answers `/metrics`, `/healthz` and `/readyz`, for a listener that callers cannot reach. */
export function createAdminHandler({ metrics, readiness }: AdminPages): HttpHandler {
  const pages: Readonly<Record<string, () => Promise<HttpResponse>>> = {
    '/metrics': async () => metricsAnswer(await metrics()),
    '/healthz': async () => ({ status: 200, headers: apiHeaders, body: '{"status":"ok"}' }),
    '/readyz': async () => readinessAnswer(await readiness()),
  }
  return async ({ method, path }: HttpRequest) => {
    const page = Object.hasOwn(pages, path) ? pages[path] : undefined
    if (page === undefined) return plain(404, `there are ${Object.keys(pages).join(', ')}`)
    if (method !== 'GET' && method !== 'HEAD') return plain(405, 'use GET')
    try {
      return await page()
    } catch (error) {
      return plain(500, A2AError.from(error).message)
    }
  }
}

/** The answer at `/metrics`. */
export function metricsAnswer(text: string): HttpResponse {
  return { status: 200, headers: { 'content-type': metricsType, 'cache-control': 'no-store' }, body: text }
}

function plain(status: number, text: string): HttpResponse {
  return { status, headers: { 'content-type': 'text/plain; charset=utf-8' }, body: `${text}\n` }
}
