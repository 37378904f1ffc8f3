// What the servers have said so far, and so may never take back.
import { createHash } from 'node:crypto'
import { isPartOf, kinds } from './behaviour.mjs'
import { canonical, hasEnded, holdsMessages, messagesOf, textOf } from './fold.mjs'

/** A digest by which two tasks are told to be the same. */
export function digest(task) {
  return createHash('sha256').update(canonical(task)).digest('base64')
}

/** Everything acknowledged, and everything that went against it. */
export function createLedger() {
  const ledger = {
    /** Tasks by id. */
    tasks: new Map(),
    /** Tasks that this round has worked on. */
    recent: new Set(),
    /** The text of every message that was sent, by message id. */
    prompts: new Map(),
    /** Tasks that wait for a message, which one client at a time may take. */
    waiting: [],
    /** Keys of sends with the message that they name: what they led to, undefined when no answer came. */
    keys: new Map(),
    /** Keys of all rounds before. */
    usedKeys: new Set(),
    violations: [],
    complaints: [],
    counts: { answers: 0, frames: 0, streams: 0, cut: 0, refused: 0, resumed: 0, takenOver: 0, checked: 0 },
    violate(what, detail) {
      ledger.violations.push(detail === undefined ? what : `${what}: ${detail}`)
    },
  }
  return ledger
}

/** Notes a task that a server showed; `where` says which server and round a new one belongs to. */
export function observe(ledger, task, where) {
  let record = ledger.tasks.get(task.id)
  if (record === undefined) {
    record = {
      id: task.id,
      contextId: task.contextId,
      ...where,
      states: new Set(),
      messages: [],
      texts: new Map(),
      ended: undefined,
      frames: new Map(),
      snapshots: new Map(),
      cuts: new Set(),
      canceled: false,
    }
    ledger.tasks.set(task.id, record)
    ledger.recent.add(record)
  }
  record.states.add(task.status.state)
  const messages = messagesOf(task)
  // A snapshot may be older than one that was noted before, so what it shows is put beside that.
  if (messages.length > record.messages.length) record.messages = messages
  for (const artifact of task.artifacts ?? []) noteText(ledger, record, [artifact.artifactId, textOf(artifact)])
  if (hasEnded(task)) noteEnd(ledger, record, task)
  return record
}

function noteText(ledger, record, [artifactId, text]) {
  const known = record.texts.get(artifactId) ?? ''
  const [short, long] = known.length < text.length ? [known, text] : [text, known]
  if (!long.startsWith(short)) ledger.violate(`task ${record.id} showed two texts for artifact ${artifactId}`)
  record.texts.set(artifactId, long)
}

function noteEnd(ledger, record, task) {
  const mark = digest(task)
  if (record.ended !== undefined && record.ended !== mark) {
    ledger.violate(`task ${record.id} had ended and changed after that`, canonical(task).slice(0, 600))
  }
  record.ended = mark
}

/** Notes one frame of a stream. */
export function observeFrame(ledger, { id, event }, where) {
  ledger.counts.frames += 1
  if (event.task !== undefined) {
    const record = observe(ledger, event.task, where)
    record.snapshots.set(id, event.task)
    return record
  }
  const { taskId } = event.statusUpdate ?? event.artifactUpdate
  const record = ledger.tasks.get(taskId)
  const text = canonical(event)
  const known = record.frames.get(id)
  if (known !== undefined && known !== text) ledger.violate(`task ${taskId} had two events with the number ${id}`)
  record.frames.set(id, text)
  if (event.statusUpdate !== undefined) record.states.add(event.statusUpdate.status.state)
  return record
}

/** Lets a client send the next message to a task that waits for one. */
export function offer(ledger, record, state) {
  if (record.offered) return
  if (state !== 'TASK_STATE_INPUT_REQUIRED' && !(record.open && state === 'TASK_STATE_WORKING')) return
  record.offered = true
  ledger.waiting.push(record)
}

/** Compares a stored task with all that was said of it; what is missing goes to `violate`. */
export function compare(ledger, record, task) {
  const lost = (what, detail) => ledger.violate(`task ${record.id} (round ${record.round}) ${what}`, detail)
  const { state } = task.status
  if (record.ended !== undefined && digest(task) !== record.ended) {
    lost('had ended, and is not as it was told', `now ${canonical(task).slice(0, 600)}`)
  }
  if (state === 'TASK_STATE_SUBMITTED' && record.states.size > 1) lost('went back to SUBMITTED')
  const messages = messagesOf(task).map(({ messageId }) => messageId)
  if (!holdsMessages(task, record.messages)) {
    lost('lost messages', `told ${record.messages.map(({ messageId }) => messageId)}, stored ${messages}`)
  }
  if (new Set(messages).size !== messages.length) lost('has a message twice', String(messages))
  const artifacts = new Map((task.artifacts ?? []).map((artifact) => [artifact.artifactId, textOf(artifact)]))
  for (const [id, text] of record.texts) {
    const stored = artifacts.get(id)
    if (stored === undefined) lost('lost an artifact', text.slice(0, 100))
    else if (!stored.startsWith(text)) {
      lost('lost text of an artifact', `told ${text.length} characters to ${text.slice(-20)}, stored ${stored.length}`)
    }
  }
}

/** Checks a task for itself: every artifact is what its message asks for, and an end that was reached has all of it. */
export function checkContent(ledger, task, expected) {
  const wrong = (what, detail) => ledger.violate(`task ${task.id} ${what}`, detail)
  const texts = (task.artifacts ?? []).map(textOf)
  for (const text of texts) {
    const messageId = text.slice(0, text.indexOf('/'))
    const prompt = ledger.prompts.get(messageId)
    if (prompt === undefined || !isPartOf(messageId, prompt, text))
      wrong('holds a text that nobody gave', text.slice(0, 200))
  }
  if (task.status.state !== 'TASK_STATE_COMPLETED') return
  for (const { messageId, role } of task.history ?? []) {
    if (role !== 'ROLE_USER') continue
    const full = expected(messageId, ledger.prompts.get(messageId))
    if (full !== undefined && !texts.includes(full)) wrong(`is COMPLETED without the whole answer to ${messageId}`)
  }
}

/** The text of a new message of a kind. */
export function promptOf(kind, between) {
  return `${kind} ${between(...kinds[kind])}`
}
