// One client of the load: sends, reads, follows, leaves and cancels at random until its server is gone or it is told to stop.
import { setTimeout as sleep } from 'node:timers/promises'
import { hasEnded } from './fold.mjs'
import { observe, observeFrame, offer, promptOf } from './ledger.mjs'
import { between, oneOf, weighed } from './random.mjs'
import { call, Refused, stream } from './wire.mjs'

const doings = { blocking: 5, immediate: 5, streaming: 5, leaving: 3, following: 5, reading: 2 }
const newKinds = { quick: 6, slow: 5, burst: 2, file: 2, ask: 4, fail: 1, open: 1, long: 3 }
const nextKinds = { quick: 4, slow: 3, ask: 2, open: 1, file: 1 }

/** Errors that a caller may get from a server that loses nothing. */
const allowed = new Set(['TASK_NOT_CANCELABLE', 'UNSUPPORTED_OPERATION', 'RESOURCE_EXHAUSTED', 'UNAVAILABLE'])

/** Runs until the server is killed or `stopped()`; `name` is unique among all clients of all rounds. */
export async function runClient({ ledger, server, peers, random, name, round, stopped }) {
  const where = { agent: server.agent, server, round }
  const range = (low, high) => between(random, low, high)
  const binding = () => oneOf(random, ['jsonrpc', 'rest'])
  let messages = 0

  const ask = async (operation, params, headers) => {
    const result = await call(server, operation, { binding: binding(), params, headers })
    ledger.counts.answers += 1
    return result
  }

  /** A message, and what may go with it. */
  function compose(kind, { task, configuration } = {}) {
    const messageId = `${name}-${++messages}`
    const text = promptOf(kind, range)
    ledger.prompts.set(messageId, text)
    const message = { messageId, role: 'ROLE_USER', parts: [{ text }], ...(task && { taskId: task.id }) }
    return { message, ...(configuration && { configuration }) }
  }

  async function send(kind, { task, immediate = false } = {}) {
    const params = compose(kind, { task, configuration: { returnImmediately: immediate } })
    const key = task === undefined && random() < 0.3 ? params.message.messageId : undefined
    if (key !== undefined) ledger.keys.set(key, { params, agent: server.agent })
    const { task: answer } = await ask('SendMessage', params, key && { 'idempotency-key': key })
    const record = observe(ledger, answer, where)
    record.open = kind === 'open'
    if (key !== undefined) ledger.keys.get(key).taskId = record.id
    if (!immediate) settled(record, answer.status.state)
    return record
  }

  /** What was answered to the end must be at an end, or wait for somebody. */
  function settled(record, state) {
    offer(ledger, record, state)
    if (record.offered || hasEnded({ status: { state } }) || server.killed) return
    ledger.violate(`task ${record.id} was answered while it was ${state}`)
  }

  /** Reads a stream to its end, or leaves after so many frames or milliseconds. */
  async function read(operation, { params, from = server, frames = Number.POSITIVE_INFINITY, ms, headers }) {
    const leave = new AbortController()
    const timer = ms && setTimeout(() => leave.abort(), ms)
    ledger.counts.streams += 1
    let record
    let last
    let state
    try {
      const events = stream(from, operation, { binding: binding(), params, headers, signal: leave.signal })
      for await (const frame of events) {
        if (last !== undefined && frame.id <= last) ledger.violate(`a stream gave ${frame.id} after ${last}`)
        last = frame.id
        record = observeFrame(ledger, frame, where)
        state = (frame.event.task ?? frame.event.statusUpdate)?.status.state ?? state
        if (--frames <= 0) break
      }
    } catch (error) {
      if (!leave.signal.aborted) throw error
    } finally {
      clearTimeout(timer)
      if (record !== undefined) record.cuts.add(last)
      leave.abort()
    }
    return { record, last, state }
  }

  const subscribe = (record, options) => read('SubscribeToTask', { params: { id: record.id }, ms: 300, ...options })

  const work = {
    blocking: () => send(weighed(random, { ...newKinds, long: 0 })),
    async immediate() {
      const record = await send(weighed(random, { ...newKinds, long: 8 }), { immediate: true })
      await sleep(range(0, 60))
      const next = oneOf(random, ['cancel', 'cancel', 'subscribe', 'poll', 'leave'])
      if (next === 'cancel') {
        record.canceled = true
        observe(ledger, await ask('CancelTask', { id: record.id }), where)
      } else if (next === 'subscribe') await subscribe(record, { from: oneOf(random, peers), frames: range(2, 40) })
      else if (next === 'poll') observe(ledger, await ask('GetTask', { id: record.id }), where)
    },
    async streaming() {
      const kind = weighed(random, newKinds)
      const { record, state } = await read('SendStreamingMessage', { params: compose(kind) })
      record.open = kind === 'open'
      settled(record, state)
    },
    async leaving() {
      const params = compose(weighed(random, { slow: 3, burst: 2, long: 2 }))
      const { record, last } = await read('SendStreamingMessage', { params, frames: range(1, 12) })
      await sleep(range(0, 30))
      await subscribe(record, { frames: range(2, 400), headers: { 'last-event-id': String(last) } })
    },
    async following() {
      const own = ledger.waiting.filter((record) => record.agent === server.agent)
      if (own.length === 0) return work.blocking()
      const task = oneOf(random, own)
      ledger.waiting.splice(ledger.waiting.indexOf(task), 1)
      Object.assign(task, { offered: false, server })
      ledger.recent.add(task)
      const kind = weighed(random, nextKinds)
      if (random() < 0.5) return send(kind, { task })
      const { record, state } = await read('SendStreamingMessage', { params: compose(kind, { task }) })
      record.open = kind === 'open'
      settled(record, state)
    },
    async reading() {
      const known = [...ledger.recent].filter((record) => record.agent === server.agent)
      if (known.length === 0) return work.blocking()
      observe(ledger, await ask('GetTask', { id: oneOf(random, known).id }), where)
    },
  }

  while (!stopped() && !server.killed) {
    const doing = weighed(random, doings)
    try {
      await work[doing]()
    } catch (error) {
      if (error instanceof Refused) {
        ledger.counts.refused += 1
        if (!allowed.has(error.reason)) ledger.violate(`${server.slot} refused`, error.message.slice(0, 400))
      } else if (server.killed || peers.some((peer) => peer.killed)) ledger.counts.cut += 1
      else ledger.violate(`${server.slot} broke a connection while it was up (${doing})`, String(error.cause ?? error))
    }
  }
}
