import { connect } from 'node:net'

/** One answer of a server that was sent bytes. */
export interface HttpAnswer {
  readonly status: number
  readonly type: string
  readonly body: string
  /** Whether the connection ended by itself, so that the body is all there is. */
  readonly whole: boolean
}

export interface Exchange {
  readonly answers: readonly HttpAnswer[]
  /** Neither answered nor closed in time. */
  readonly hung: boolean
}

/** How long a stream is read, and how long an unfinished request is left open, milliseconds. */
const patience = 25
const longest = 5_000

/**
 * Sends bytes on a connection of their own, and takes what comes until it closes. A sender that has said all waits for an
 * answer; else it soon ends its side, or (`leave`) goes away.
 */
export function exchange(port: number, bytes: Uint8Array, then: 'wait' | 'end' | 'leave'): Promise<Exchange> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    const chunks: Buffer[] = []
    let hung = false
    let left = false
    let streams = false
    const leave = (): void => {
      left = true
      socket.destroy()
    }
    const limit = setTimeout(() => {
      hung = true
      leave()
    }, longest)
    const stop = then === 'end' ? () => void socket.end() : leave
    const unfinished = then === 'wait' ? undefined : setTimeout(stop, patience)
    let reading: ReturnType<typeof setTimeout> | undefined
    socket.on('data', (chunk) => {
      chunks.push(chunk)
      if (streams) return
      streams = chunk.includes('text/event-stream')
      if (streams) reading = setTimeout(leave, patience)
    })
    socket.on('error', () => {})
    socket.on('close', () => {
      for (const timer of [limit, unfinished, reading]) clearTimeout(timer)
      resolve({ answers: readAnswers(Buffer.concat(chunks), !left), hung })
    })
    socket.write(bytes)
  })
}

const statusLine = /HTTP\/1\.1 (\d{3})[^\r\n]*\r\n/g

function readAnswers(bytes: Buffer, whole: boolean): HttpAnswer[] {
  const text = bytes.toString('utf8')
  const starts = [...text.matchAll(statusLine)]
  const answers = starts.map((start, at): HttpAnswer => {
    const piece = text.slice(start.index + start[0].length, starts[at + 1]?.index)
    const end = piece.indexOf('\r\n\r\n')
    const head = `\r\n${end < 0 ? piece : piece.slice(0, end)}`
    const body = end < 0 ? '' : piece.slice(end + 4)
    const chunked = /\r\ntransfer-encoding: chunked/i.test(head)
    const type = /\r\ncontent-type: ([^\r\n;]+)/i.exec(head)?.[1] ?? ''
    return { status: Number(start[1]), type, body: chunked ? body.replace(/(^|\r\n)[0-9a-f]+\r\n/g, '') : body, whole }
  })
  return answers.filter(({ status }) => status >= 200)
}
