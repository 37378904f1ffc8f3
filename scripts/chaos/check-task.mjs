// One stored task against everything that anybody was told of it.
import { createHash } from 'node:crypto'
import { canonical, fold, hasEnded, holdsMessages, messagesOf, textOf } from './fold.mjs'

/** A digest by which two values are told to be the same. */
export function digest(value) {
  return createHash('sha1').update(canonical(value)).digest('base64')
}

/** What tells one moment of a task from another: its status, and how much it holds. */
export function markOf({ status, artifacts = [] }) {
  const length = artifacts.reduce((sum, artifact) => sum + textOf(artifact).length, 0)
  return `${status.state} ${status.timestamp} ${status.message?.messageId ?? ''} ${artifacts.length} ${length}`
}

/** Checks a stored task, and all that a record has of it; `violate(rule, taskId, detail)` is called for each fault. */
export function checkStored(record, { task, frames }, { violate, prompts, fullText, reasons, broken }) {
  const wrong = (rule, detail) => violate(rule, task.id, detail)
  const log = replay(task, frames, wrong)
  if (log === undefined) return
  checkEnd(record, { task, frames, reasons }, wrong)
  checkContent(task, { prompts, fullText, broken }, wrong)
  checkTurns(frames, wrong)
  for (const stream of record.streams) checkStream(stream, log, wrong)
  checkShown(record, { task, log }, wrong)
  for (const view of record.views) {
    if (digest([view.status, view.artifacts ?? []]) !== digest([task.status, task.artifacts ?? []]))
      wrong('view differs', `${canonical(view)} for ${canonical(task)}`)
  }
}

/** The task after each of its frames. */
function replay(task, frames, wrong) {
  const [first, ...events] = frames
  if (first?.event.task === undefined) {
    wrong('no log', canonical(first ?? null))
    return undefined
  }
  const log = { ids: [first.id], marks: [digest(first.event)], standing: new Map(), moments: new Map() }
  let folded = first.event.task
  const note = (id) => {
    log.standing.set(id, digest([folded.status, folded.artifacts ?? []]))
    const mark = markOf(folded)
    const moment = log.moments.get(mark)
    if (moment === undefined) log.moments.set(mark, [id, id])
    else moment[1] = id
  }
  note(first.id)
  for (const { id, event } of events) {
    if (id <= log.ids.at(-1)) wrong('out of order', `stored ${id} after ${log.ids.at(-1)}`)
    folded = fold(folded, event)
    log.ids.push(id)
    log.marks.push(digest(event))
    note(id)
  }
  if (digest([folded.status, folded.artifacts ?? []]) !== digest([task.status, task.artifacts ?? []]))
    wrong('log is not the task', `${canonical(folded)} and ${canonical(task)}`)
  if (!holdsMessages(task, messagesOf(folded))) wrong('log is not the task', 'messages of its frames are missing')
  return log
}

/** One end, which nothing follows; or somebody is asked for something. */
function checkEnd({ canceled }, { task, frames, reasons }, wrong) {
  const { state, message } = task.status
  const ends = frames.flatMap(({ event }, at) => (event.statusUpdate && hasEnded(event.statusUpdate) ? [at] : []))
  if (ends.length > 1) wrong('two ends', `${ends.length} of them`)
  if (ends.length > 0 && ends[0] !== frames.length - 1)
    wrong('goes on after its end', `frame ${ends[0]} of ${frames.length}`)
  if (!hasEnded(task) && state !== 'TASK_STATE_INPUT_REQUIRED') wrong('unfinished', state)
  if (state === 'TASK_STATE_CANCELED' && !canceled) wrong('nobody canceled it', '')
  if (state === 'TASK_STATE_REJECTED') wrong('rejected', canonical(task.status))
  if (state !== 'TASK_STATE_FAILED') return
  const reason = message?.parts[0]?.text
  if (!reasons.includes(reason)) wrong('failed', String(reason))
}

/** Every artifact is the work of one run, whole from its beginning; an end that was reached has the answer to every message. */
function checkContent(task, { prompts, fullText, broken }, wrong) {
  const texts = (task.artifacts ?? []).map(textOf)
  for (const [at, text] of texts.entries()) {
    const messageId = task.artifacts[at].artifactId.split('@')[0]
    const prompt = prompts.get(messageId)
    if (prompt === undefined) wrong('unasked', `${messageId}: ${text.slice(0, 200)}`)
    else if (!fullText(messageId, prompt).startsWith(text)) wrong('wrong text', text.slice(0, 400))
  }
  if (task.status.state !== 'TASK_STATE_COMPLETED') return
  const asked = (task.history ?? []).filter(({ messageId, role }) => role === 'ROLE_USER' && prompts.has(messageId))
  // Where a run was cut off, the next one is of the newest message, and finds those before it in the history.
  for (const { messageId } of broken ? asked.slice(-1) : asked) {
    const full = fullText(messageId, prompts.get(messageId))
    if (full !== '' && !texts.includes(full)) wrong('unanswered', messageId)
  }
}

/** Once another run has written to the task, an earlier one never does again. */
function checkTurns(frames, wrong) {
  const runs = []
  for (const { event } of frames) {
    const run = event.artifactUpdate?.artifact.artifactId.split('@')[1]
    if (run === undefined || run === runs.at(-1)) continue
    if (runs.includes(run)) wrong('runs mixed', `${run} wrote after ${runs.at(-1)} had`)
    runs.push(run)
  }
}

/** A stream shows the task as it stood, then each event from there on, without a gap. */
function checkStream({ id, mark, frames }, log, wrong) {
  const standing = log.standing.get(nearest(log.ids, id))
  if (standing === undefined) wrong('snapshot of nothing', `at ${id}`)
  else if (standing !== mark) wrong('wrong snapshot', `at ${id}`)
  if (frames.length === 0) return
  const last = frames.at(-1)[0]
  const marks = new Map(log.ids.map((each, at) => [each, log.marks[at]]))
  const given = new Map(frames)
  for (const [each, text] of given) {
    if (!marks.has(each)) wrong('event of nothing', `number ${each} was told, and is not stored`)
    else if (marks.get(each) !== text) wrong('changed event', `number ${each}`)
  }
  for (const each of log.ids) {
    if (each > id && each <= last && !given.has(each)) wrong('gap', `${each} between ${id} and ${last}`)
  }
}

/** The last frame at or before a number: messages have numbers, but no frames. */
function nearest(ids, id) {
  let low = 0
  let high = ids.length
  while (low < high) {
    const middle = (low + high) >> 1
    if (ids[middle] <= id) low = middle + 1
    else high = middle
  }
  return ids[low - 1]
}

/** Each answer shows a moment of the task that was, and none that is older than what somebody had been told before it was asked for. */
function checkShown(record, { task, log }, wrong) {
  const acknowledged = [...record.frames].map(([id, { order }]) => ({ order, id }))
  for (const each of record.shown) {
    each.moment = log.moments.get(each.mark)
    if (each.moment === undefined) wrong('never was so', each.mark)
    else acknowledged.push({ order: each.order, id: each.moment[0] })
    if (each.ended !== undefined && each.ended !== digest(task)) wrong('changed after its end', each.mark)
  }
  acknowledged.sort((one, other) => one.order - other.order)
  const shown = [...record.shown].sort((one, other) => one.since - other.since)
  let at = 0
  let least = 0
  for (const { since, moment, messages } of shown) {
    while (acknowledged[at]?.order < since) least = Math.max(least, acknowledged[at++].id)
    if (moment !== undefined && moment[1] < least) wrong('older than was told', `${moment[1]}, told before: ${least}`)
    for (const [messageId, order] of record.acknowledged)
      if (order < since && !messages.includes(messageId)) wrong('message taken back', messageId)
  }
  const all = new Set(messagesOf(task).map(({ messageId }) => messageId))
  for (const { messages } of record.shown)
    for (const messageId of messages) if (!all.has(messageId)) wrong('lost message', messageId)
}
