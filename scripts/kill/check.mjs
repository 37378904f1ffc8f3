// What must hold once the servers are up again: nothing that was acknowledged is missing, and nothing is left half done.
import { setTimeout as sleep } from 'node:timers/promises'
import { fullText, ownFailure, recoveryReason } from './behaviour.mjs'
import { canonical, fold, hasEnded, holdsMessages, messagesOf } from './fold.mjs'
import { checkContent, compare, observe, offer } from './ledger.mjs'
import { between, oneOf } from './random.mjs'
import { call, Refused, stream } from './wire.mjs'

const bindings = ['jsonrpc', 'rest']
const active = ['TASK_STATE_SUBMITTED', 'TASK_STATE_WORKING']

/** Runs `work` for each item, a few at a time. */
export async function forEach(items, work) {
  const rest = [...items]
  const runner = async () => {
    for (let item = rest.pop(); item !== undefined; item = rest.pop()) await work(item)
  }
  await Promise.all(Array.from({ length: 8 }, runner))
}

/** Tasks that the server calls active although no message asks them to stay so. */
async function unsettled(ledger, server) {
  const found = []
  for (const status of active) {
    let pageToken
    do {
      const params = { status, pageSize: 100, ...(pageToken && { pageToken }) }
      const page = await call(server, 'ListTasks', { binding: 'jsonrpc', params })
      found.push(...page.tasks.filter((task) => !staysOpen(ledger, task)))
      pageToken = page.nextPageToken
    } while (pageToken)
  }
  return found
}

/** Whether the last message lets the task stay WORKING with nobody at it. */
function staysOpen(ledger, task) {
  const last = task.history?.findLast(({ role }) => role === 'ROLE_USER')
  return task.status.state === 'TASK_STATE_WORKING' && /^open /.test(ledger.prompts.get(last?.messageId) ?? '')
}

/** No task may be active: at once after a start, and after a while where a process lives on whose work has to end. */
export async function checkSettled(ledger, server, { patience }) {
  const until = Date.now() + patience
  for (;;) {
    const left = await unsettled(ledger, server)
    if (left.length === 0) return
    if (Date.now() > until) {
      for (const task of left) ledger.violate(`${server.slot} left task ${task.id} ${task.status.state}`)
      return
    }
    await sleep(50)
  }
}

/** A stored task against all that was told of it. */
export async function checkTask(ledger, record, { server, random }) {
  ledger.counts.checked += 1
  let task
  try {
    task = await call(server, 'GetTask', { binding: oneOf(random, bindings), params: { id: record.id } })
  } catch (error) {
    if (!(error instanceof Refused)) throw error
    ledger.violate(
      `task ${record.id} (round ${record.round}, told as ${[...record.states]}) is lost`,
      error.message.slice(0, 200),
    )
    return
  }
  compare(ledger, record, task)
  checkContent(ledger, task, fullText)
  checkReason(ledger, record, task)
  if (record.offered && !waits(record, task)) {
    ledger.violate(`task ${record.id} waited for a message and is now ${task.status.state}`)
  }
  if (record.snapshots.size > 0) await checkStream(ledger, record, { server, random, task })
  offer(ledger, observe(ledger, task), task.status.state)
}

/** To servers of other agents on the same file the task does not exist. */
export async function checkHidden(ledger, record, { server, random }) {
  try {
    await call(server, 'GetTask', { binding: oneOf(random, bindings), params: { id: record.id } })
    ledger.violate(`task ${record.id} of ${record.agent} is seen by ${server.agent}`)
  } catch (error) {
    if (error.reason !== 'TASK_NOT_FOUND') throw error
  }
}

function waits(record, { status: { state } }) {
  return state === 'TASK_STATE_INPUT_REQUIRED' || (record.open === true && state === 'TASK_STATE_WORKING')
}

/** A task FAILED by its agent, or because its process was killed; a process that lives on is not disturbed. */
function checkReason(ledger, record, task) {
  if (task.status.state === 'TASK_STATE_CANCELED' && !record.canceled) {
    ledger.violate(`task ${record.id} is CANCELED, and nobody asked for that`)
  }
  if (task.status.state !== 'TASK_STATE_FAILED') return
  const reason = task.status.message?.parts[0]?.text
  if (reason === recoveryReason) {
    ledger.counts.takenOver += record.ended === undefined ? 1 : 0
    if (record.ended === undefined && !record.server.killed) {
      ledger.violate(`task ${record.id} was taken from ${record.server.slot}, which was alive`)
    }
  } else if (reason !== ownFailure)
    ledger.violate(`task ${record.id} is FAILED for a reason that is not known: ${reason}`)
}

/** Reads a task's stream from an event on, until it ends or nothing more is to come. */
async function resume(server, { id, from, last, binding }) {
  const leave = new AbortController()
  const timer = setTimeout(() => leave.abort(), 5_000)
  const frames = []
  try {
    const headers = { 'last-event-id': String(from) }
    const options = { binding, params: { id }, headers, signal: leave.signal }
    for await (const frame of stream(server, 'SubscribeToTask', options)) {
      frames.push(frame)
      if (last?.(frame, frames)) break
    }
  } catch (error) {
    // A stream that goes silent shows in what it did not give.
    if (!leave.signal.aborted) throw error
  } finally {
    clearTimeout(timer)
    leave.abort()
  }
  return frames
}

/** Every recorded cut of a stream is resumed: complete, in order, nothing twice, and folding to the stored task. */
async function checkStream(ledger, record, { server, random, task }) {
  const wrong = (what, detail) => ledger.violate(`stream of task ${record.id} (round ${record.round}) ${what}`, detail)
  const binding = () => oneOf(random, bindings)
  const start = Math.min(...record.snapshots.keys())
  const ended = hasEnded(task)
  // One that waits has no last frame; it is read until it comes to what is stored.
  const through = (folded) => !ended && same(folded, task)
  let folded
  const standing = new Map()
  const all = await resume(server, {
    id: record.id,
    from: start,
    binding: binding(),
    last: ({ id, event }) => {
      folded = event.task ?? fold(folded, event)
      standing.set(id, folded)
      return through(folded)
    },
  })
  const [first, ...events] = all
  if (first?.id !== start || first.event.task === undefined)
    return wrong(`does not go on at ${start}`, canonical(first))
  if (!same(folded, task)) wrong('does not fold to the stored task', `${canonical(folded)} and ${canonical(task)}`)
  for (const [at, { id }] of events.entries()) if (id <= all[at].id) wrong(`gave ${id} after ${all[at].id}`)
  const texts = new Map(events.map(({ id, event }) => [id, canonical(event)]))
  for (const [id, text] of record.frames) {
    if (texts.get(id) !== text) wrong(`lost event ${id}`, `told ${text}, stored ${texts.get(id)}`)
  }
  for (const [id, told] of record.snapshots) {
    const then = standing.get(id)
    if (then !== undefined && !same(then, told)) wrong(`showed a task at ${id} that never was`, canonical(told))
  }
  const cuts = new Set(record.cuts)
  const ids = [...record.frames.keys()]
  for (let more = 0; more < 2 && ids.length > 0; more++) cuts.add(ids[between(random, 0, ids.length - 1)])
  for (const cut of cuts) {
    ledger.counts.resumed += 1
    const expected = events.filter(({ id }) => id > cut)
    const last = expected.length === 0 ? cut : expected.at(-1).id
    const frames = await resume(server, {
      id: record.id,
      from: cut,
      binding: binding(),
      last: ended ? undefined : ({ id }) => id >= last,
    })
    const [head, ...rest] = frames
    if (head?.id !== cut) wrong(`resumed at ${cut} begins at ${head?.id}`)
    else if (record.snapshots.has(cut) && canonical(record.snapshots.get(cut)) !== canonical(head.event.task)) {
      wrong(`resumed at ${cut} begins with another task than it was`, canonical(head))
    } else if (standing.has(cut) && !same(standing.get(cut), head.event.task)) {
      wrong(`resumed at ${cut} begins with another task`, canonical(head))
    }
    if (canonical(rest) !== canonical(expected)) {
      wrong(`resumed at ${cut} is not the rest`, `${rest.map(({ id }) => id)} for ${expected.map(({ id }) => id)}`)
    }
  }
}

/** Whether a folded task is a stored one. Messages of the user have no frame, so a fold may have fewer messages. */
function same(folded, task) {
  if (canonical([folded.status, folded.artifacts ?? []]) !== canonical([task.status, task.artifacts ?? []]))
    return false
  return holdsMessages(task, messagesOf(folded))
}

/** A key that was answered leads to the same task; one that was cut off leads to a task now, and only one. */
export async function checkKeys(ledger, { servers, random }) {
  await forEach(ledger.keys, async ([key, { params, agent, taskId }]) => {
    const server = oneOf(
      random,
      servers.filter((each) => each.agent === agent),
    )
    if (server === undefined) return
    const options = { binding: oneOf(random, bindings), params, headers: { 'idempotency-key': key } }
    const { task } = await call(server, 'SendMessage', options)
    if (taskId !== undefined && task.id !== taskId) ledger.violate(`key ${key} led to ${taskId}, and now to ${task.id}`)
    observe(ledger, task, { agent, server, round: 0 })
    ledger.usedKeys.add(key)
  })
  ledger.keys.clear()
}

/** The whole list at the end: every task there, each as it was told, no keyed message in two tasks. */
export async function checkAll(ledger, server) {
  const seen = new Map()
  const keyed = new Map()
  let pageToken
  do {
    const params = { pageSize: 100, includeArtifacts: true, ...(pageToken && { pageToken }) }
    const page = await call(server, 'ListTasks', { binding: 'jsonrpc', params })
    for (const task of page.tasks) {
      seen.set(task.id, task)
      const record = ledger.tasks.get(task.id)
      if (record !== undefined) compare(ledger, record, task)
      checkContent(ledger, task, fullText)
      for (const { messageId } of task.history ?? []) {
        const other = keyed.get(messageId)
        if (other !== undefined && ledger.usedKeys.has(messageId)) ledger.violate(`message ${messageId} made two tasks`)
        keyed.set(messageId, task.id)
      }
    }
    pageToken = page.nextPageToken
  } while (pageToken)
  for (const record of ledger.tasks.values()) {
    if (record.agent === server.agent && !seen.has(record.id)) ledger.violate(`task ${record.id} is not in the list`)
  }
  return seen.size
}
