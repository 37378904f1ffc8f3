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
  readonly history: string[] = []
  readonly artifacts: ArtifactContent[] = []
  status: StatusEntry | undefined
  seq: number = 0
  /** Where the message of the current status goes once it joins the history: before the messages that came after it. */
  #statusPlace = 0
  #text: string | undefined
  #asked = false

  constructor(id: string, contextId: string, metadata?: string) {
    this.id = id
    this.contextId = contextId
    this.metadata = metadata
  }

  add(entry: Entry): void {
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

  /** JSON text of the task; who asks for the whole a second time before the next entry gets the same string again. */
  text(view: View): string {
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
    if (whole && this.#asked) this.#text = text
    if (whole) this.#asked = true
    return text
  }
}

function newest(history: readonly string[], length: number | undefined): readonly string[] {
  if (length === undefined || length >= history.length) return history
  return length === 0 ? [] : history.slice(-length)
}
