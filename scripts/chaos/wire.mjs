// A2A calls by hand over both bindings, so that the proof relies on nothing of the client library.
import { request } from 'node:http'

/** An answer that is an error of the protocol. */
export class Refused extends Error {
  constructor(operation, text) {
    super(`${operation}: ${text}`)
    this.reason = /"reason":"([A-Z_]+)"/.exec(text)?.[1] ?? statusOf(text)
  }
}

/** The name of a status that carries no reason of its own, as both bindings tell it. */
function statusOf(text) {
  const names = { '-31503': 'UNAVAILABLE', '-31429': 'RESOURCE_EXHAUSTED' }
  return /"status":"([A-Z_]+)"/.exec(text)?.[1] ?? names[/"code":(-\d+)/.exec(text)?.[1]] ?? 'UNKNOWN'
}

const json = { 'content-type': 'application/json', 'a2a-version': '1.0' }
let calls = 0

const paths = {
  SendMessage: () => ['POST', '/message:send'],
  SendStreamingMessage: () => ['POST', '/message:stream'],
  GetTask: ({ id }) => ['GET', `/tasks/${id}`],
  CancelTask: ({ id }) => ['POST', `/tasks/${id}:cancel`],
  SubscribeToTask: ({ id }) => ['GET', `/tasks/${id}:subscribe`],
  ListTasks: (query) => ['GET', `/tasks?${new URLSearchParams(query)}`],
}

/** A request over a connection of its own, so that each may come to another server, and a cut is told from an end. */
function open(server, operation, { binding, params, headers, signal }) {
  const [method, path, body] =
    binding === 'jsonrpc'
      ? ['POST', '/invoke', { jsonrpc: '2.0', id: ++calls, method: operation, params }]
      : [...paths[operation](params), operation.startsWith('Send') ? params : undefined]
  const options = { method, headers: { ...json, ...headers }, signal, agent: false }
  return new Promise((resolve, reject) => {
    const outgoing = request(server.url + path, options, resolve)
    outgoing.on('error', reject)
    outgoing.end(body && JSON.stringify(body))
  })
}

async function textOf(response) {
  let text = ''
  for await (const piece of response.setEncoding('utf8')) text += piece
  return text
}

/** The result of a unary operation; throws `Refused`, or the error of the connection. */
export async function call(server, operation, options) {
  const response = await open(server, operation, options)
  const text = await textOf(response)
  const value = JSON.parse(text)
  if (response.statusCode >= 400 || value.error !== undefined) throw new Refused(operation, text)
  return options.binding === 'jsonrpc' ? value.result : value
}

/** The frames of a stream, `{ id, event }`, each given once it has arrived whole. */
export async function* stream(server, operation, options) {
  const response = await open(server, operation, options)
  if (!response.headers['content-type']?.startsWith('text/event-stream')) {
    throw new Refused(operation, await textOf(response))
  }
  let text = ''
  for await (const piece of response.setEncoding('utf8')) {
    text += piece
    const frames = text.split('\n\n')
    text = frames.pop()
    for (const frame of frames) {
      const read = readFrame(frame)
      if (read === undefined) continue
      const value = JSON.parse(read.data)
      if (value.error !== undefined) throw new Refused(operation, read.data)
      yield { id: read.id, event: options.binding === 'jsonrpc' ? value.result : value }
    }
  }
}

function readFrame(frame) {
  let id
  let data
  for (const line of frame.split('\n')) {
    if (line.startsWith('id: ')) id = Number(line.slice(4))
    else if (line.startsWith('data: ')) data = (data ?? '') + line.slice(6)
  }
  return data === undefined ? undefined : { id, data }
}
