// The process that makes requests: raw sockets that stay open, so that it costs little beside the server it measures.
// Every reply is read whole and checked; a reply that is not the expected result ends the benchmark.
import { once } from 'node:events'
import { connect } from 'node:net'
import { openGrpc, totalOverGrpc } from './grpc-load.mjs'

const ended = '0\r\n\r\n'

function requestText({ path, method, message, id }) {
  const params =
    method === 'ListTasks'
      ? { pageSize: 1 }
      : { message: { messageId: `m-${id}`, role: 'ROLE_USER', parts: [{ text: message }] } }
  const body = JSON.stringify({ jsonrpc: '2.0', id, method, params })
  return `POST ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nA2A-Version: 1.0\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
}

/** Length of a whole reply at the head of the text; 0 while some of it is missing. */
function replyLength(text) {
  const head = text.indexOf('\r\n\r\n')
  if (head < 0) return 0
  const length = /\r\ncontent-length: *(\d+)/i.exec(text.slice(0, head + 2))
  if (length !== null) {
    const end = head + 4 + Number(length[1])
    return text.length >= end ? end : 0
  }
  return text.endsWith(ended) ? text.length : 0
}

/** What is wrong with a reply; undefined when it is what was asked for. */
function problemOf(text, { method, events }) {
  if (!text.startsWith('HTTP/1.1 200')) return 'its status is not 200'
  if (!text.includes('"result"')) return 'it has no result'
  if (method === 'ListTasks') return undefined
  if (!text.includes('"TASK_STATE_COMPLETED"')) return 'its task is not completed'
  if (events === undefined) return text.includes('"artifacts":[{') ? undefined : 'its task has no artifact'
  const found = text.split('data: ').length - 1
  return found === events ? undefined : `it has ${found} events instead of ${events}`
}

class Connection {
  #socket
  #text = ''
  #asked
  #first = 0
  #settle

  constructor(port) {
    this.#socket = connect({ port, host: '127.0.0.1', noDelay: true })
    this.ready = once(this.#socket, 'connect')
    this.#socket.setEncoding('latin1')
    this.#socket.on('data', (text) => this.#data(text))
    this.#socket.on('error', (error) => this.#settle?.reject(error))
    this.#socket.on('close', () => this.#settle?.reject(new Error('the server closed a connection')))
  }

  ask(asked) {
    this.#asked = asked
    this.#text = ''
    this.#first = 0
    return new Promise((resolve, reject) => {
      this.#settle = { resolve, reject, since: performance.now() }
      this.#socket.write(requestText(asked))
    })
  }

  #data(piece) {
    this.#text += piece
    const { events } = this.#asked
    // A reply in one piece needs no clock of its own for its first event.
    if (events !== undefined && this.#first === 0 && this.#text.includes('data: ')) this.#first = performance.now()
    if (events !== undefined && !piece.endsWith('\n')) return
    const length = replyLength(this.#text)
    if (length === 0) return
    const settle = this.#settle
    this.#settle = undefined
    const problem = problemOf(this.#text, this.#asked)
    if (problem !== undefined)
      return settle.reject(new Error(`a reply is wrong, ${problem}:\n${this.#text.slice(0, 1500)}`))
    const now = performance.now()
    settle.resolve({ ms: now - settle.since, first: this.#first - settle.since, text: this.#text })
  }

  close() {
    this.#socket.destroy()
  }
}

function percentile(sorted, share) {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]
}

/** Asks over so many connections until the time is up (`ms`) or the number is reached (`requests`). */
async function run(asked) {
  const { port, path, method, message, events, connections, ms = Infinity, requests = Infinity, firstId = 1 } = asked
  const open = asked.grpc ? await openGrpc(asked) : Array.from({ length: connections }, () => new Connection(port))
  const times = []
  let sent = 0
  let first = 0
  // What is measured is a server's work, not the making of connections.
  await Promise.all(open.map(({ ready }) => ready))
  const begin = performance.now()
  await Promise.all(
    open.map(async (connection) => {
      while (sent < requests && performance.now() - begin < ms) {
        sent += 1
        const answer = await connection.ask({ path, method, message, events, id: firstId + sent })
        first = answer.first
        times.push(answer.ms)
      }
    }),
  )
  const elapsed = performance.now() - begin
  for (const connection of open) connection.close()
  times.sort((a, b) => a - b)
  return { count: times.length, elapsed, p50: percentile(times, 0.5), p99: percentile(times, 0.99), first }
}

/** The number of tasks that the server says it has. */
async function total({ port, path, grpc }) {
  if (grpc) return await totalOverGrpc({ port, path })
  const connection = new Connection(port)
  const { text } = await connection.ask({ path, method: 'ListTasks', id: 1 })
  connection.close()
  return Number(/"totalSize": *(\d+)/.exec(text)?.[1])
}

process.on('message', async (asked) => {
  try {
    process.send({ result: asked.method === 'ListTasks' ? await total(asked) : await run(asked) })
  } catch (error) {
    process.send({ error: error.message })
  }
})
process.on('disconnect', () => process.exit(0))
