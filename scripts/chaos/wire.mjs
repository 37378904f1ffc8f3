// A2A calls by hand over both bindings, so that the proof relies on nothing of the client library.

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

function open(server, operation, { binding, params, headers, signal }) {
  if (binding === 'jsonrpc') {
    const body = JSON.stringify({ jsonrpc: '2.0', id: ++calls, method: operation, params })
    return fetch(`${server.url}/invoke`, { method: 'POST', headers: { ...json, ...headers }, body, signal })
  }
  const [method, path] = paths[operation](params)
  const body = operation.startsWith('Send') ? { body: JSON.stringify(params) } : {}
  return fetch(`${server.url}${path}`, { method, headers: { ...json, ...headers }, ...body, signal })
}

/** The result of a unary operation; throws `Refused`, or the error of the connection. */
export async function call(server, operation, options) {
  const response = await open(server, operation, options)
  const text = await response.text()
  const value = JSON.parse(text)
  if (!response.ok || value.error !== undefined) throw new Refused(operation, text)
  return options.binding === 'jsonrpc' ? value.result : value
}

/** The frames of a stream, `{ id, event }`, each given once it has arrived whole. */
export async function* stream(server, operation, options) {
  const response = await open(server, operation, options)
  if (!response.headers.get('content-type')?.startsWith('text/event-stream')) {
    throw new Refused(operation, await response.text())
  }
  const decoder = new TextDecoder()
  let text = ''
  for await (const bytes of response.body) {
    text += decoder.decode(bytes, { stream: true })
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
