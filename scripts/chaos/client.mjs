// A client of the load: sends, follows up, cancels, reads, subscribes, leaves and comes back, through whatever goes wrong.
import { setTimeout as sleep } from 'node:timers/promises'
import { kinds } from './behaviour.mjs'
import { hasEnded } from './fold.mjs'
import { between, oneOf, weighed } from './random.mjs'
import { call, Refused, stream } from './wire.mjs'

const doings = {
  blocking: 4,
  immediate: 4,
  streaming: 5,
  following: 6,
  joining: 3,
  canceling: 2,
  watching: 6,
  reading: 4,
  listing: 1,
}
const newKinds = { quick: 4, slow: 5, long: 3, burst: 1, ask: 4 }

/** How long a call may take before it is given up, milliseconds. */
const patience = 20_000

/** Refusals after which a send may be tried again: nothing was done. */
const passing = new Set(['UNAVAILABLE', 'RESOURCE_EXHAUSTED'])

let calls = 0

/** What all clients share: tasks that are known, and those that wait for an answer. */
export function createShared() {
  return { known: [], waiting: [], unanswered: new Map(), watchers: 0 }
}

/** The calls of a client, each of them recorded. */
export function createCalls({ url, history, random }) {
  const server = { url }
  const binding = () => oneOf(random, ['jsonrpc', 'rest'])
  const begin = (what, { params, headers = {} }) => {
    const number = ++calls
    const key = headers['idempotency-key']
    const from = headers['last-event-id']
    history.record({
      kind: 'call',
      call: number,
      what,
      ...(params.id !== undefined && { taskId: params.id }),
      ...(params.message !== undefined && { message: params.message, taskId: params.message.taskId }),
      ...(params.configuration?.returnImmediately === false && { blocking: true }),
      ...(key !== undefined && { key }),
      ...(from !== undefined && { from: Number(from) }),
    })
    return number
  }
  const fail = (number, error) => {
    if (error instanceof Refused) {
      history.record({ kind: 'refused', call: number, reason: error.reason, text: error.message.slice(0, 400) })
    } else history.record({ kind: 'cut', call: number, why: String(error.code ?? error.message) })
  }
  const options = ({ params, headers }, signal) => ({
    binding: binding(),
    params,
    headers,
    signal,
  })
  return {
    /** One call; throws Refused, or the error of the connection. */
    async ask(what, given) {
      const number = begin(what, given)
      try {
        const result = await call(server, what, options(given, AbortSignal.timeout(patience)))
        for (const task of result.tasks ?? [result.task ?? result])
          history.record({ kind: 'answer', call: number, task })
        return result
      } catch (error) {
        fail(number, error)
        throw error
      }
    },
    /** Reads a stream to its end, until `enough`, or for so many milliseconds: `how` tells which, or that it broke. */
    async read(what, { ms = 60_000, enough = () => false, onFrame, ...given }) {
      const number = begin(what, given)
      const leave = new AbortController()
      const timer = setTimeout(() => leave.abort(), ms)
      const seen = { id: undefined, last: undefined, state: undefined, how: 'ended', error: undefined }
      try {
        for await (const { id, event } of stream(server, what, options(given, leave.signal))) {
          history.record({ kind: 'frame', call: number, id, event })
          seen.last = id
          seen.id ??= event.task?.id
          seen.state = (event.task ?? event.statusUpdate)?.status.state ?? seen.state
          onFrame?.({ id, event })
          if (enough({ id, event })) {
            seen.how = 'left'
            break
          }
        }
        if (seen.how === 'ended') history.record({ kind: 'end', call: number })
      } catch (error) {
        seen.how = leave.signal.aborted ? 'left' : 'broken'
        seen.error = error
        if (!leave.signal.aborted) fail(number, error)
      } finally {
        clearTimeout(timer)
        leave.abort()
      }
      return seen
    },
  }
}

/** Runs until it is `stopped()`; `name` is unique among all clients. */
export async function runClient({ url, history, random, name, shared, stopped, longest = 8_000 }) {
  const { ask, read } = createCalls({ url, history, random })
  const range = (low, high) => between(random, low, high)
  let messages = 0

  function compose(kind, taskId) {
    const messageId = `${name}-${++messages}`
    const text = `${kind} ${range(...kinds[kind])}`
    return { messageId, role: 'ROLE_USER', parts: [{ text }], ...(taskId !== undefined && { taskId }) }
  }

  const learn = (id, state) => {
    if (!shared.known.includes(id)) shared.known.push(id)
    if (shared.known.length > 60) shared.known.shift()
    if (state === 'TASK_STATE_INPUT_REQUIRED' && !shared.waiting.includes(id)) shared.waiting.push(id)
  }

  /** Sends until there is an answer, under one key; a send without a key is tried once. */
  async function send(message, { immediate = false, keyed = random() < 0.8 } = {}) {
    const params = { message, configuration: { returnImmediately: immediate } }
    const headers = keyed ? { 'idempotency-key': message.messageId } : {}
    if (keyed) shared.unanswered.set(message.messageId, params)
    for (;;) {
      try {
        const { task } = await ask('SendMessage', { params, headers })
        shared.unanswered.delete(message.messageId)
        learn(task.id, task.status.state)
        return task
      } catch (error) {
        if (error instanceof Refused && !passing.has(error.reason)) {
          shared.unanswered.delete(message.messageId)
          return undefined
        }
        if (!keyed || stopped()) return undefined
        await sleep(range(50, 500))
      }
    }
  }

  /** Follows a task to its end or to a question, over as many connections as it takes, from the last event that was seen. */
  async function follow(id, from, { rounds = 100, ms } = {}) {
    let last = from
    for (let round = 0; round < rounds; round++) {
      const headers = last === undefined ? {} : { 'last-event-id': String(last) }
      const enough = ({ event }) => event.statusUpdate?.status.state === 'TASK_STATE_INPUT_REQUIRED'
      const seen = await read('SubscribeToTask', {
        params: { id },
        headers,
        enough,
        ms: ms ?? range(longest / 40, longest),
      })
      last = seen.last ?? last
      if (seen.state !== undefined) learn(id, seen.state)
      const ended = seen.state !== undefined && hasEnded({ status: { state: seen.state } })
      const gone = seen.error instanceof Refused && !passing.has(seen.error.reason)
      if (ended || gone || seen.state === 'TASK_STATE_INPUT_REQUIRED' || stopped()) return
      await sleep(range(10, 400))
    }
  }

  async function sendStreaming(message) {
    const keyed = random() < 0.8
    const headers = keyed ? { 'idempotency-key': message.messageId } : {}
    if (keyed) shared.unanswered.set(message.messageId, { message })
    const frames = random() < 0.4 ? range(1, 10) : Number.POSITIVE_INFINITY
    let count = 0
    const enough = () => ++count >= frames
    const seen = await read('SendStreamingMessage', { params: { message }, headers, enough })
    if (seen.id === undefined) {
      if (seen.error instanceof Refused && !passing.has(seen.error.reason)) shared.unanswered.delete(message.messageId)
      return
    }
    shared.unanswered.delete(message.messageId)
    learn(seen.id, seen.state)
    const over = seen.how === 'ended' && /COMPLETED|CANCELED|FAILED|INPUT_REQUIRED/.test(seen.state)
    if (!over) await follow(seen.id, seen.last)
  }

  const known = () => (shared.known.length === 0 ? undefined : oneOf(random, shared.known))

  const work = {
    blocking: () => send(compose(weighed(random, { ...newKinds, long: 1 }))),
    async immediate() {
      const task = await send(compose(weighed(random, newKinds)), { immediate: true })
      if (task !== undefined && random() < 0.5) await follow(task.id, undefined)
    },
    streaming: () => sendStreaming(compose(weighed(random, newKinds))),
    /** Answers a task that asked. */
    async following() {
      if (shared.waiting.length === 0) return work.streaming()
      const [id] = shared.waiting.splice(Math.floor(random() * shared.waiting.length), 1)
      const message = compose(weighed(random, { quick: 3, slow: 3, long: 1, ask: 3 }), id)
      return random() < 0.5 ? send(message) : sendStreaming(message)
    },
    /** A message more for a task that may be at work, anywhere. */
    async joining() {
      const id = known()
      if (id !== undefined)
        await send(compose(oneOf(random, ['quick', 'slow']), id), { immediate: random() < 0.5, keyed: true })
    },
    async canceling() {
      const id = known()
      if (id === undefined) return
      await ask('CancelTask', { params: { id } })
    },
    async watching() {
      const id = known()
      if (id !== undefined) await follow(id, undefined, { ms: range(50, longest / 2) })
    },
    async reading() {
      const id = known()
      if (id !== undefined) learn(id, (await ask('GetTask', { params: { id } })).status.state)
    },
    listing: () => ask('ListTasks', { params: { pageSize: 20, includeArtifacts: true } }),
  }

  while (!stopped()) {
    try {
      await work[weighed(random, doings)]()
    } catch {
      // It is in the history.
    }
    await sleep(range(0, 80))
  }
}
