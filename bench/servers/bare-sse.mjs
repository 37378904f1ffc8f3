import { createServer } from 'node:http'

const first = `id: 2\ndata: ${JSON.stringify({ jsonrpc: '2.0', id: 1, result: { task: { id: 'x'.repeat(36), status: { state: 'TASK_STATE_WORKING' } } } })}\n\n`

/** The floor of a stream: node:http, the head and one event, then silence with a comment now and then. */
export async function start() {
  const streams = new Set()
  const server = createServer({ keepAliveTimeout: 65_000 }, (request, response) => {
    request.resume()
    request.on('end', () => {
      response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' })
      response.write(first)
      streams.add(response)
      response.on('close', () => streams.delete(response))
    })
  })
  setInterval(() => {
    for (const stream of streams) stream.write(': ping\n\n')
  }, 15_000).unref()
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
  return { port: server.address().port, path: '/', close: () => server.close() }
}
