// VoltAgent's A2A server around an agent without a model, on a plain HTTP server.
import { once } from 'node:events'
import { createServer } from 'node:http'
import { A2AServer, InMemoryTaskStore } from '@voltagent/a2a-server'

const agent = {
  id: 'interop',
  name: 'Interop',
  purpose: 'Says again what it hears',
  getTools: () => [],
  generateText: async (text) => ({ text: `heard ${text}` }),
  streamText: async (text) => ({
    textStream: (async function* () {
      yield 'heard '
      yield text
    })(),
    text: Promise.resolve(`heard ${text}`),
  }),
}
const server = new A2AServer({ id: 'interop', name: 'Interop', version: '1.2.3' })
server.initialize({
  agentRegistry: { getAgent: () => agent, getAllAgents: () => [agent] },
  taskStore: new InMemoryTaskStore(),
})

const http = createServer(async (request, response) => {
  const base = `http://127.0.0.1:${http.address().port}`
  if (request.method === 'GET') {
    const card = server.getAgentCard('interop', {})
    response.setHeader('content-type', 'application/json')
    return response.end(JSON.stringify({ ...card, url: `${base}/a2a/interop` }))
  }
  let text = ''
  for await (const chunk of request) text += chunk
  const answer = await server.handleRequest('interop', JSON.parse(text), {})
  if (answer.kind !== 'stream') {
    response.setHeader('content-type', 'application/json')
    return response.end(JSON.stringify(answer.response ?? answer))
  }
  response.setHeader('content-type', 'text/event-stream')
  // It marks the beginning of each frame with a record separator.
  for await (const frame of answer.stream) response.write(`data: ${JSON.stringify(frame)}\n\n`)
  response.end()
})
http.listen(0, '127.0.0.1')
await once(http, 'listening')
process.stdout.write(`${JSON.stringify({ card: `http://127.0.0.1:${http.address().port}` })}\n`)
process.stdin.resume().on('end', () => process.exit(0))
