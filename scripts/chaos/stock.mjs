// The end of a history: once nothing is at work any more, what is stored.
import { setTimeout as sleep } from 'node:timers/promises'
import { createCalls } from './client.mjs'
import { canonical, fold, hasEnded } from './fold.mjs'
import { call, stream } from './wire.mjs'

/** How long what was left may take to come to its end, milliseconds. */
const patience = 40_000

const active = ['TASK_STATE_SUBMITTED', 'TASK_STATE_WORKING']

/** Sends what never got an answer, waits until no task is at work, then records every task with all its frames. */
export async function takeStock({ url, history, shared, report, random }) {
  const server = { url }
  const { ask } = createCalls({ url, history, random })
  await forEach(shared.unanswered, async ([key, params]) => {
    // A refusal (a task that has ended meanwhile) is an answer too.
    await ask('SendMessage', { params, headers: { 'idempotency-key': key } }).catch(() => {})
  })
  await settled({ server, report })
  const ids = []
  let pageToken
  do {
    const params = { pageSize: 100, ...(pageToken && { pageToken }) }
    const page = await call(server, 'ListTasks', { binding: 'jsonrpc', params })
    ids.push(...page.tasks.map(({ id }) => id))
    pageToken = page.nextPageToken
  } while (pageToken)
  history.record({ kind: 'listed', ids })
  report(`${ids.length} tasks to look at`)
  await forEach(ids, (id) => recordTask({ server, history, id }))
}

/** Does the work for each item, a few at a time. */
async function forEach(items, work) {
  const rest = [...items]
  const runner = async () => {
    for (let item = rest.pop(); item !== undefined; item = rest.pop()) await work(item)
  }
  await Promise.all(Array.from({ length: 8 }, runner))
}

async function settled({ server, report }) {
  const until = Date.now() + patience
  for (;;) {
    const pages = await Promise.all(
      active.map((status) => call(server, 'ListTasks', { binding: 'jsonrpc', params: { status, pageSize: 1 } })),
    )
    const left = pages.reduce((sum, { totalSize }) => sum + totalSize, 0)
    if (left === 0) return
    if (Date.now() > until) return report(`${left} tasks are still at work`)
    await sleep(100)
  }
}

/** Number of the frame that shows a task as it was made: its message is the first entry, its first status the second. */
const firstFrame = 2

async function recordTask({ server, history, id }) {
  const task = await call(server, 'GetTask', { binding: 'rest', params: { id } })
  const leave = new AbortController()
  const timer = setTimeout(() => leave.abort(), 10_000)
  const frames = []
  let folded
  try {
    const options = { binding: 'rest', params: { id }, signal: leave.signal }
    const given = { ...options, headers: { 'last-event-id': String(firstFrame) } }
    for await (const frame of stream(server, 'SubscribeToTask', given)) {
      frames.push(frame)
      folded = frame.event.task ?? fold(folded, frame.event)
      // One that waits has no last frame; it is read until it comes to what is stored.
      if (!hasEnded(task) && same(folded, task)) break
    }
  } catch (error) {
    // What is missing is what the checker finds.
    if (!leave.signal.aborted) frames.push({ id: 0, event: { error: error.message } })
  } finally {
    clearTimeout(timer)
    leave.abort()
  }
  history.record({ kind: 'stored', task, frames: frames.filter(({ event }) => event.error === undefined) })
}

function same(one, other) {
  return canonical([one.status, one.artifacts ?? []]) === canonical([other.status, other.artifacts ?? []])
}
