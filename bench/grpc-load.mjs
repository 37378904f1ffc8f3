// Makes gRPC calls over HTTP/2 by hand, so that it costs little beside the server it measures: prepared header blocks,
// frames put together in one buffer, and no look at more of a reply than shows that it is the right one.
import { once } from 'node:events'
import { connect } from 'node:net'
import { BinaryReader, BinaryWriter } from '@bufbuild/protobuf/wire'

const types = { data: 0, headers: 1, reset: 3, settings: 4, ping: 6, goaway: 7, windowUpdate: 8 }
const flags = { endStream: 1, ack: 1, endHeaders: 4 }
const preface = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 'latin1')
const mostWindow = 2_147_483_647

function frame(type, { flag = 0, stream = 0, payload = Buffer.alloc(0) }) {
  const head = Buffer.alloc(9)
  head.writeUIntBE(payload.length, 0, 3)
  head[3] = type
  head[4] = flag
  head.writeUInt32BE(stream, 5)
  return Buffer.concat([head, payload])
}

/** A header block of literals that are not indexed (RFC 7541 §6.2.2). */
function headerBlock(headers) {
  const text = (value) => Buffer.concat([Buffer.from([value.length]), Buffer.from(value, 'latin1')])
  return Buffer.concat(
    Object.entries(headers).map(([name, value]) => Buffer.concat([Buffer.from([0]), text(name), text(value)])),
  )
}

function requestBytes({ method, message, id }) {
  const writer = new BinaryWriter()
  if (method === 'ListTasks') return writer.tag(4, 0).int32(1).finish()
  writer.tag(2, 2).fork().tag(1, 2).string(`m-${id}`).tag(4, 0).int32(1)
  return writer.tag(5, 2).fork().tag(1, 2).string(message).join().join().finish()
}

/** The messages of a reply. */
function messagesOf(data) {
  const messages = []
  for (let at = 0; at < data.length; ) {
    const end = at + 5 + data.readUInt32BE(at + 1)
    if (data[at] !== 0 || end > data.length) throw new Error('a reply is cut or compressed')
    messages.push(data.subarray(at + 5, end))
    at = end
  }
  return messages
}

/** What is wrong with a reply; undefined when it is what was asked for. */
function problemOf(data, { method, events }) {
  const messages = messagesOf(data)
  if (method === 'ListTasks') return messages.length === 1 ? undefined : 'it is not one message'
  if (messages.length !== (events ?? 1)) return `it has ${messages.length} messages instead of ${events ?? 1}`
  return data.includes('chunk 000000 words') ? undefined : 'its task has no artifact'
}

class Connection {
  #socket
  #held = Buffer.alloc(0)
  #head
  #next = 1
  #calls = new Map()
  #unread = 0
  /** Trailers are the same each time, as the server may not index them; the first are looked at. */
  #trailers

  constructor(port, path) {
    const headers = {
      ':method': 'POST',
      ':scheme': 'http',
      ':authority': `127.0.0.1:${port}`,
      ':path': path,
      'content-type': 'application/grpc',
      te: 'trailers',
      'a2a-version': '1.0',
    }
    this.#head = headerBlock(headers)
    this.#socket = connect({ port, host: '127.0.0.1', noDelay: true })
    this.ready = once(this.#socket, 'connect')
    const settings = Buffer.alloc(12)
    settings.writeUInt16BE(1, 0)
    settings.writeUInt32BE(0, 2)
    settings.writeUInt16BE(4, 6)
    settings.writeUInt32BE(mostWindow, 8)
    this.#socket.write(Buffer.concat([preface, frame(types.settings, { payload: settings })]))
    this.#grow(mostWindow - 65_535)
    this.#socket.on('data', (piece) => this.#data(piece))
    this.#socket.on('error', (error) => this.#fail(error))
    this.#socket.on('close', () => this.#fail(new Error('the server closed a connection')))
  }

  ask(asked) {
    const stream = this.#next
    this.#next += 2
    const message = requestBytes(asked)
    const payload = Buffer.alloc(5 + message.length)
    payload.writeUInt32BE(message.length, 1)
    payload.set(message, 5)
    return new Promise((resolve, reject) => {
      this.#calls.set(stream, { asked, resolve, reject, pieces: [], blocks: 0, first: 0, since: performance.now() })
      this.#socket.write(
        Buffer.concat([
          frame(types.headers, { flag: flags.endHeaders, stream, payload: this.#head }),
          frame(types.data, { flag: flags.endStream, stream, payload }),
        ]),
      )
    })
  }

  #data(piece) {
    const bytes = this.#held.length === 0 ? piece : Buffer.concat([this.#held, piece])
    let at = 0
    while (bytes.length - at >= 9) {
      const end = at + 9 + bytes.readUIntBE(at, 3)
      if (end > bytes.length) break
      const stream = bytes.readUInt32BE(at + 5) & mostWindow
      this.#frame(bytes[at + 3], { flag: bytes[at + 4], stream, payload: bytes.subarray(at + 9, end) })
      at = end
    }
    this.#held = bytes.subarray(at)
  }

  #frame(type, { flag, stream, payload }) {
    if (type === types.settings && (flag & flags.ack) === 0) {
      this.#socket.write(frame(types.settings, { flag: flags.ack }))
    } else if (type === types.ping && (flag & flags.ack) === 0) {
      this.#socket.write(frame(types.ping, { flag: flags.ack, payload }))
    } else if (type === types.goaway) this.#fail(new Error('the server said goodbye'))
    const call = this.#calls.get(stream)
    if (call === undefined) return
    if (type === types.reset) return this.#settle(stream, 'its stream was reset')
    if (type === types.data) {
      if (call.first === 0) call.first = performance.now()
      if (payload.length > 0) call.pieces.push(payload)
      this.#unread += payload.length
      if (this.#unread > 1 << 26) this.#grow(this.#unread)
    } else if (type === types.headers) {
      call.blocks += 1
      if ((flag & flags.endStream) !== 0) this.#end(stream, { call, trailers: payload })
    }
  }

  #end(stream, { call, trailers }) {
    if (call.blocks !== 2) return this.#settle(stream, `it is an error: ${trailers.toString('latin1')}`)
    this.#trailers ??= Buffer.from(trailers)
    if (!trailers.equals(this.#trailers)) return this.#settle(stream, 'its trailers differ from those of others')
    const data = call.pieces.length === 1 ? call.pieces[0] : Buffer.concat(call.pieces)
    this.#settle(stream, problemOf(data, call.asked), data)
  }

  #settle(stream, problem, data) {
    const call = this.#calls.get(stream)
    this.#calls.delete(stream)
    if (problem !== undefined) return call.reject(new Error(`a reply is wrong, ${problem}`))
    call.resolve({ ms: performance.now() - call.since, first: call.first - call.since, data })
  }

  /** Allows the server so many bytes more on this connection. */
  #grow(bytes) {
    const payload = Buffer.alloc(4)
    payload.writeUInt32BE(bytes)
    this.#socket.write(frame(types.windowUpdate, { payload }))
    this.#unread = 0
  }

  #fail(error) {
    for (const { reject } of this.#calls.values()) reject(error)
    this.#calls.clear()
  }

  close() {
    this.#socket.destroy()
  }
}

/** Connections of the benchmark; each carries its share of the calls that are made at once. */
const mostConnections = 4

/** Opens what takes the place of so many connections of HTTP/1. */
export async function openGrpc({ port, path, method, connections }) {
  const shared = Array.from(
    { length: Math.min(mostConnections, connections) },
    () => new Connection(port, `${path}/${method}`),
  )
  await Promise.all(shared.map(({ ready }) => ready))
  return Array.from({ length: connections }, (_, at) => shared[at % shared.length])
}

/** The number of tasks that the server says it has. */
export async function totalOverGrpc({ port, path }) {
  const connection = new Connection(port, `${path}/ListTasks`)
  const { data } = await connection.ask({ method: 'ListTasks' })
  connection.close()
  const reader = new BinaryReader(data.subarray(5))
  for (let total = 0; ; ) {
    if (reader.pos >= reader.len) return total
    const [field, type] = reader.tag()
    if (field === 4) total = reader.int32()
    else reader.skip(type, field)
  }
}
