import { request as httpRequest, type IncomingHttpHeaders } from 'node:http'
import { connect, type Socket } from 'node:net'
import { onCleanup } from '../harness.ts'

/** A request that no polite client would send. */
export interface PlainRequest {
  readonly method?: string
  readonly path?: string
  readonly headers?: Readonly<Record<string, string | string[]>>
  readonly body?: string | Uint8Array
}

export interface PlainAnswer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly text: string
}

/** Sends a request over a connection of its own and reads the whole answer. */
export function plainRequest(url: string, request: PlainRequest): Promise<PlainAnswer> {
  const { method = 'POST', path = '/', headers = {}, body = '' } = request
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(url)
    const outgoing = httpRequest(
      { hostname: hostname.replace(/^\[|\]$/g, ''), port, method, path, headers, agent: false },
      (answer) => {
        let text = ''
        answer.setEncoding('utf8').on('data', (piece: string) => {
          text += piece
        })
        answer.on('end', () => resolve({ status: answer.statusCode ?? 0, headers: answer.headers, text }))
        answer.on('error', reject)
      },
    )
    outgoing.on('error', reject)
    outgoing.end(body)
  })
}

/** A connection on which a test writes bytes by hand. */
export interface RawConnection {
  readonly socket: Socket
  readonly text: string
  /** Waits until the other side has closed. */
  closed(): Promise<void>
  /** Waits until so much has come that this holds. */
  until(check: (text: string) => boolean): Promise<void>
}

/** Opens a TCP connection to a server. */
export async function rawConnection(url: string): Promise<RawConnection> {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  let text = ''
  let over = false
  let wake = (): void => {}
  socket.setEncoding('latin1').on('data', (piece: string) => {
    text += piece
    wake()
  })
  socket.on('error', () => {})
  socket.on('close', () => {
    over = true
    wake()
  })
  onCleanup(async () => void socket.destroy())
  await new Promise<void>((resolve) => socket.once('connect', resolve))
  const change = (): Promise<void> =>
    new Promise((resolve) => {
      wake = resolve
    })
  return {
    socket,
    get text() {
      return text
    },
    async closed() {
      while (!over) await change()
    },
    async until(check) {
      while (!check(text)) {
        if (over) throw new Error(`the connection was closed after: ${text.slice(0, 500)}`)
        await change()
      }
    },
  }
}
