// Connections that ask for a stream, read its first event and then wait. Told to, it counts how many events all of them get.
import { connect } from 'node:net'

const [port, path, count, ids] = JSON.parse(process.argv[2])
let events = 0
let waiting

function request(id) {
  const params = id === undefined ? {} : { id }
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'SubscribeToTask', params })
  return `POST ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nA2A-Version: 1.0\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
}

function open(index) {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1' })
    let first = true
    socket.setEncoding('latin1')
    socket.on('data', (text) => {
      const found = text.split('data: ').length - 1
      events += found
      if (waiting !== undefined && events >= waiting.events) waiting.done()
      if (!first || found === 0) return
      if (!text.includes('"result"') && !text.includes('event-stream')) reject(new Error(text.slice(0, 300)))
      first = false
      resolve()
    })
    socket.on('error', reject)
    socket.write(request(ids.length === 0 ? undefined : ids[index % ids.length]))
  })
}

for (let index = 0; index < count; index += 100) {
  await Promise.all(Array.from({ length: Math.min(100, count - index) }, (_, at) => open(index + at)))
}
process.on('message', ({ events: wanted }) => {
  waiting = { events: wanted, done: () => process.send({ events }) }
  if (events >= wanted) waiting.done()
})
process.on('disconnect', () => process.exit(0))
process.send({ open: count, events })
