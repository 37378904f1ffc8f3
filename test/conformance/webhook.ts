import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Json } from './wire/peer.ts'

/** What a webhook was sent. */
export interface Delivery {
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: Json
}

/** A place on this machine that takes notifications. */
export interface Webhook {
  readonly url: string
  readonly deliveries: readonly Delivery[]
  /** The first delivery for which something holds; undefined after some milliseconds. */
  first(check: (delivery: Delivery) => boolean, milliseconds: number): Promise<Delivery | undefined>
  close(): Promise<void>
}

/** Opens a webhook on any free port. */
export async function openWebhook(): Promise<Webhook> {
  const deliveries: Delivery[] = []
  let wake = (): void => {}
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => void chunks.push(chunk))
    request.on('end', () => {
      const body = JSON.parse(Buffer.concat(chunks).toString()) as Json
      deliveries.push({ path: request.url ?? '', headers: request.headers, body })
      response.writeHead(200).end()
      wake()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://localhost:${port}`,
    deliveries,
    async first(check, milliseconds) {
      const deadline = Date.now() + milliseconds
      for (;;) {
        const found = deliveries.find(check)
        if (found !== undefined) return found
        const left = deadline - Date.now()
        if (left <= 0) return undefined
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, left)
          wake = () => {
            clearTimeout(timer)
            resolve()
          }
        })
      }
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
