// The checker: reads a history and tells everything in it that must not be. It knows nothing of how the history came about.
//
// Entries, in the order in which things happened to the clients:
//   { kind: 'call', call, what, taskId?, message?, key?, blocking? }   a call begins; `what` is the operation, `message` what it sends
//   { kind: 'answer', call, task }                          a task that an answer showed
//   { kind: 'refused', call, reason, text }                 an error of the protocol
//   { kind: 'frame', call, id, event }                      a frame of the stream that a call opened; `from` in the call: Last-Event-ID
//   { kind: 'end', call, at }                               a stream ended by itself
//   { kind: 'drain', node, from, to }                       a node was told to end, and then had
//   { kind: 'view', task }                                  a task as a client put it together from its events up to the end
//   { kind: 'step', task, run, node, pid, step, at }        what a run of the agent did: begin, step, done, end
//   { kind: 'trouble', node, from, to }                     a node could not know the time (it was stopped)
//   { kind: 'crash', node, code, signal }                   a node ended that nobody had told to
//   { kind: 'stored', task, frames }                        at the end: the task, and its frames from the first one on
//   { kind: 'listed', ids }                                 at the end: all tasks that the list has

import { checkRuns } from './check-runs.mjs'
import { checkStored, digest, markOf } from './check-task.mjs'
import { canonical, hasEnded, messagesOf } from './fold.mjs'

/** Errors that a caller may get from servers that lose nothing. */
const allowed = new Set(['TASK_NOT_CANCELABLE', 'UNSUPPORTED_OPERATION', 'RESOURCE_EXHAUSTED', 'UNAVAILABLE'])

/** States in which somebody is still at work, or about to be. */
const active = new Set(['TASK_STATE_SUBMITTED', 'TASK_STATE_WORKING'])

/** How late the end of a stream may be noticed, milliseconds. */
const delivery = 500

/** Makes a checker; `reasons` are texts with which a task may be FAILED, `fullText(messageId, prompt)` is the whole answer to a message. */
export function createChecker({ reasons = [], fullText }) {
  const tasks = new Map()
  const calls = new Map()
  const steps = []
  const troubles = []
  const drains = []
  const ends = []
  const stored = new Map()
  const violations = []
  const counts = {
    calls: 0,
    answers: 0,
    frames: 0,
    streams: 0,
    resumed: 0,
    refused: 0,
    cut: 0,
    runs: 0,
    broken: 0,
    views: 0,
  }
  let listed
  let order = 0

  const violate = (rule, taskId, detail) => violations.push({ rule, ...(taskId && { taskId }), detail })

  function recordOf(id) {
    let record = tasks.get(id)
    if (record === undefined) {
      record = { id, frames: new Map(), streams: [], shown: [], acknowledged: new Map(), canceled: false, views: [] }
      tasks.set(id, record)
    }
    return record
  }

  /** What a task shows is acknowledged: it may not be taken back. */
  function show(record, task, call) {
    const messages = messagesOf(task).map(({ messageId }) => messageId)
    record.shown.push({
      since: call.order,
      order,
      mark: markOf(task),
      messages,
      ...(hasEnded(task) && { ended: digest(task) }),
    })
    for (const { messageId, role } of task.history ?? []) if (role === 'ROLE_USER') acknowledge(record, messageId)
  }

  function acknowledge(record, messageId) {
    if (!record.acknowledged.has(messageId)) record.acknowledged.set(messageId, order)
  }

  const takes = {
    call(entry) {
      counts.calls += 1
      calls.set(entry.call, { ...entry, order })
      if (entry.what === 'CancelTask') recordOf(entry.taskId).canceled = true
    },
    answer({ call: number, task }) {
      const call = calls.get(number)
      counts.answers += 1
      const record = recordOf(task.id)
      call.answered = task.id
      if (call.taskId !== undefined && call.taskId !== task.id)
        violate('other task', call.taskId, `answered ${task.id}`)
      show(record, task, call)
      if (call.blocking && active.has(task.status.state)) violate('answered early', task.id, task.status.state)
      if (call.message !== undefined) acknowledge(record, call.message.messageId)
    },
    refused({ call: number, reason, text }) {
      counts.refused += 1
      const { what, taskId } = calls.get(number)
      if (!allowed.has(reason)) violate('refused', taskId, `${what}: ${reason} ${text}`)
    },
    cut() {
      counts.cut += 1
    },
    frame({ call: number, id, event }) {
      counts.frames += 1
      const call = calls.get(number)
      if (call.stream === undefined) return begin(call, { id, event })
      const { record, stream } = call
      const mark = digest(event)
      const last = stream.frames.at(-1)?.[0] ?? stream.id
      if (event.task !== undefined) violate('second snapshot', record.id, `at ${id}, after ${last}`)
      if (id <= last) violate('out of order', record.id, `${id} came after ${last}`)
      const known = record.frames.get(id)?.mark
      if (known !== undefined && known !== mark) violate('two events', record.id, `number ${id}: ${canonical(event)}`)
      stream.frames.push([id, mark])
      stream.state = event.statusUpdate?.status.state ?? stream.state
      if (!record.frames.has(id)) record.frames.set(id, { mark, order })
    },
    end({ call: number, at }) {
      const { stream, record } = calls.get(number)
      if (stream !== undefined && active.has(stream.state)) ends.push({ at, id: record.id, state: stream.state })
    },
    drain(entry) {
      drains.push(entry)
    },
    view({ task }) {
      counts.views += 1
      recordOf(task.id).views.push(task)
    },
    step(entry) {
      steps.push(entry)
    },
    trouble(entry) {
      troubles.push(entry)
    },
    crash({ node, code, signal }) {
      violate('crash', undefined, `node ${node} ended by itself: ${signal ?? code}`)
    },
    stored({ task, frames }) {
      stored.set(task.id, { task, frames })
    },
    listed({ ids }) {
      listed = ids
    },
  }

  function begin(call, { id, event }) {
    counts.streams += 1
    if (event.task === undefined) return violate('no snapshot', call.taskId, `began with ${canonical(event)}`)
    const record = recordOf(event.task.id)
    const stream = {
      id,
      mark: digest([event.task.status, event.task.artifacts ?? []]),
      from: call.from,
      frames: [],
      state: event.task.status.state,
    }
    if (call.from !== undefined) {
      counts.resumed += 1
      if (id !== call.from) violate('resumed elsewhere', record.id, `asked for ${call.from}, began at ${id}`)
    }
    Object.assign(call, { record, stream })
    record.streams.push(stream)
    call.answered = record.id
    if (call.from === undefined) show(record, event.task, call)
    if (call.message !== undefined) acknowledge(record, call.message.messageId)
  }

  /** One key, one task; one message, one task and one place in it. */
  function checkSends() {
    const places = new Map()
    for (const { task } of stored.values()) {
      const own = new Set()
      for (const { messageId } of messagesOf(task)) {
        if (own.has(messageId)) violate('message twice', task.id, messageId)
        own.add(messageId)
        if (places.has(messageId)) violate('two tasks', task.id, `${messageId} is in ${places.get(messageId)} too`)
        else places.set(messageId, task.id)
      }
    }
    for (const { message, key, answered, what } of calls.values()) {
      if (message === undefined || answered === undefined) continue
      const place = places.get(message.messageId)
      if (place === undefined) violate('lost message', answered, `${message.messageId} was acknowledged (${what})`)
      else if (place !== answered) violate('two tasks', answered, `${message.messageId} (key ${key}) is in ${place}`)
    }
  }

  /** A server closes a stream of a task that is at work only when it drains. */
  function checkEnds() {
    for (const { at, id, state } of ends) {
      const drained = drains.some(({ from, to }) => at >= from && at <= to + delivery)
      if (!drained) violate('closed early', id, `at ${at}, ${state}`)
    }
  }

  function checkList() {
    if (listed === undefined) return
    const ids = new Set(listed)
    if (ids.size !== listed.length) violate('listed twice', undefined, `${listed.length} rows, ${ids.size} tasks`)
    for (const id of tasks.keys()) if (!ids.has(id)) violate('not listed', id, '')
  }

  return {
    /** Takes in one entry. */
    take(entry) {
      order += 1
      takes[entry.kind]?.(entry)
    },
    /** Everything that is wrong, once all has been taken in. */
    finish() {
      const prompts = new Map()
      for (const { message } of calls.values()) if (message) prompts.set(message.messageId, message.parts[0].text)
      const { runs, broken } = checkRuns(steps, { troubles, violate })
      Object.assign(counts, { runs, broken: broken.size })
      checkSends()
      checkEnds()
      checkList()
      for (const record of tasks.values()) {
        const found = stored.get(record.id)
        if (found === undefined) violate('lost task', record.id, '')
        else checkStored(record, found, { violate, prompts, fullText, reasons, broken: broken.has(record.id) })
      }
      return { violations, counts: { tasks: stored.size, ...counts } }
    },
  }
}

/** Checks a history that is at hand as a whole. */
export function checkHistory(entries, options) {
  const checker = createChecker(options)
  for (const entry of entries) checker.take(entry)
  return checker.finish()
}
