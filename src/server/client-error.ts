import type { ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { restErrorText } from '../bindings/http/error-text.ts'
import { A2AError } from '../protocol/errors.ts'

const answers: Readonly<Record<string, readonly [line: string, error: A2AError]>> = {
  HPE_HEADER_OVERFLOW: [
    '431 Request Header Fields Too Large',
    new A2AError('PayloadTooLarge', 'The request headers are too large'),
  ],
  ERR_HTTP_REQUEST_TIMEOUT: [
    '408 Request Timeout',
    new A2AError('DeadlineExceeded', 'The request did not arrive in time'),
  ],
}
const malformed = ['400 Bad Request', new A2AError('InvalidRequest', 'This is not an HTTP request')] as const

/** Answers what could not be read as a request, in the form of HTTP+JSON (§11.6), and closes the connection. */
export function refuseClient(reason: Error, socket: Duplex): void {
  const { code } = reason as NodeJS.ErrnoException
  const answer = (socket as { _httpMessage?: ServerResponse | null })._httpMessage
  const begun = answer?.headersSent === true
  if (answer?.req.complete === true && !begun && socket.writable) {
    // What is wrong came behind a request that is being worked on: an error would be taken for its answer.
    answer.shouldKeepAlive = false
    return
  }
  if (code === 'ECONNRESET' || !socket.writable || begun) {
    socket.destroy(reason)
    return
  }
  const [line, error] = answers[code ?? ''] ?? malformed
  const body = restErrorText(error, Number(line.slice(0, 3)))
  const length = Buffer.byteLength(body)
  socket.end(
    `HTTP/1.1 ${line}\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\nConnection: close\r\n\r\n${body}`,
  )
}
