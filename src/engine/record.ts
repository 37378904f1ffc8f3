import type { Task } from '../protocol/generated/v1/types.ts'
import { isTerminal } from '../protocol/task.ts'
import type { Entry, StatusEntry, TaskHead, View } from './store.ts'
import { ArtifactContent, statusText, taskText } from './text.ts'

/**
 * A task in memory as pieces of JSON text: what the memory store keeps, and what other stores keep of tasks at work.
 * Adding an entry costs the same whatever the task holds.
 */
export class TaskRecord {
  readonly id: string
  readonly contextId: string
  readonly metadata: string | undefined
  history: string[] = []
  artifacts: ArtifactContent[] = []
  status: StatusEntry | undefined
  seq: number = 0
  /** Where the message of the current status goes once it joins the history: before the messages that came after it. */
  #statusPlace = 0
  #text: string | undefined
  #asked = false
  #packed = false

  constructor(id: string, contextId: string, metadata?: string) {
    this.id = id
    this.contextId = contextId
    this.metadata = metadata
  }

  add(entry: Entry): void {
    if (this.#packed) throw new TypeError('a packed task takes no more entries')
    this.seq = entry.seq
    this.#text = undefined
    this.#asked = false
    if (entry.kind === 'message') {
      this.history.push(entry.text)
    } else if (entry.kind === 'status') {
      if (this.status?.message !== undefined) this.history.splice(this.#statusPlace, 0, this.status.message)
      this.#statusPlace = this.history.length
      this.status = entry
    } else {
      let content = this.artifacts[entry.artifact]
      if (content === undefined) {
        content = new ArtifactContent()
        this.artifacts[entry.artifact] = content
      }
      content.add(entry)
    }
  }

  head(held: boolean): TaskHead {
    const { id, contextId, status, seq } = this
    return { id, contextId, state: status?.state ?? 'TASK_STATE_SUBMITTED', time: status?.time ?? 0, seq, held }
  }

  get packed(): boolean {
    return this.#packed
  }

  /** Keeps a task that has ended as one text: what it is made of weighs more, and is hardly asked for again. */
  pack(): void {
    const text = this.text({ artifacts: true })
    // Looking at a character makes one piece of the many that the text was joined from.
    text.charCodeAt(0)
    this.#text = text
    this.#packed = true
    this.history = []
    this.artifacts = []
  }

  /** JSON text of the task; who asks for the whole a second time before the next entry gets the same string again. */
  text(view: View): string {
    if (this.#packed) return cut(this.#text as string, view)
    const whole = view.artifacts && (view.historyLength === undefined || view.historyLength >= this.history.length)
    if (whole && this.#text !== undefined) return this.#text
    const text = taskText({
      id: this.id,
      contextId: this.contextId,
      status: this.status === undefined ? '{"state":"TASK_STATE_SUBMITTED"}' : statusText(this.status),
      history: newest(this.history, view.historyLength),
      artifacts: view.artifacts ? this.artifacts.map((content) => content.text) : [],
      metadata: this.metadata,
    })
    // A task that has ended is packed soon, which asks again.
    if (whole && (this.#asked || (this.status !== undefined && isTerminal(this.status.state)))) this.#text = text
    if (whole) this.#asked = true
    return text
  }
}

function cut(text: string, { artifacts, historyLength }: View): string {
  if (artifacts && historyLength === undefined) return text
  const { artifacts: all, history, metadata, ...rest } = JSON.parse(text) as Task
  const kept =
    history === undefined || historyLength === undefined
      ? history
      : historyLength === 0
        ? []
        : history.slice(-historyLength)
  return JSON.stringify({
    ...rest,
    ...(artifacts && all && { artifacts: all }),
    ...(kept && kept.length > 0 && { history: kept }),
    ...(metadata && { metadata }),
  })
}

function newest(history: readonly string[], length: number | undefined): readonly string[] {
  if (length === undefined || length >= history.length) return history
  return length === 0 ? [] : history.slice(-length)
}
