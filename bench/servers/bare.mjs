import { randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import { chunk } from '../agent-work.mjs'

// The floor: parses a request, checks what must be there, builds the same reply, writes it. No store, no engine, no protocol.

let tasks = 0

function resultOf(request) {
  if (request.jsonrpc !== '2.0' || typeof request.id !== 'number')
    return { error: { code: -32600, message: 'Invalid' } }
  if (request.method === 'ListTasks') return { tasks: [], nextPageToken: '', pageSize: 1, totalSize: tasks }
  const message = request.params?.message
  if (typeof message?.messageId !== 'string' || message.role !== 'ROLE_USER' || !Array.isArray(message.parts)) {
    return { error: { code: -32602, message: 'Invalid' } }
  }
  for (const part of message.parts)
    if (typeof part.text !== 'string') return { error: { code: -32602, message: 'Invalid' } }
  tasks += 1
  const id = randomUUID()
  const contextId = randomUUID()
  return {
    task: {
      id,
      contextId,
      status: { state: 'TASK_STATE_COMPLETED', timestamp: new Date().toISOString() },
      artifacts: [{ artifactId: randomUUID(), parts: [{ text: chunk(0) }] }],
      history: [{ ...message, contextId, taskId: id }],
    },
  }
}

/** Serves replies of the same size without a protocol stack. */
export async function start() {
  const server = createServer((request, response) => {
    const chunks = []
    request.on('data', (data) => chunks.push(data))
    request.on('end', () => {
      const call = JSON.parse((chunks.length === 1 ? chunks[0] : Buffer.concat(chunks)).toString('utf8'))
      const result = resultOf(call)
      const body = JSON.stringify({ jsonrpc: '2.0', id: call.id, ...(result.error ? result : { result }) })
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) })
      response.end(body)
    })
  })
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
  return { port: server.address().port, path: '/invoke', close: () => server.close() }
}
