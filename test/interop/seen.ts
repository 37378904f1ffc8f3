import type { JsonObject } from '../../src/lib/json.ts'
import type { Message, StreamResponse, Task } from '../../src/protocol/generated/v1/types.ts'
import { artifactText, stateWord, textOf } from './parts.ts'

/** What an answer to a message holds. */
export function answer({
  message,
  task,
}: {
  readonly message?: Message | undefined
  readonly task?: Task | undefined
}): JsonObject {
  if (message !== undefined) return { kind: 'message', role: message.role, text: textOf(message.parts) }
  return task === undefined ? {} : taskSeen(task)
}

/** What the matrix looks at in a task. */
export function taskSeen({ status, artifacts }: Task): JsonObject {
  const said = textOf(status.message?.parts)
  return { kind: 'task', state: stateWord(status.state), text: artifactText(artifacts), said }
}

/** What a stream showed so far. */
export class Reading {
  readonly kinds: string[] = []
  readonly states: string[] = []
  text = ''
  task = ''

  /** How many artifact events came. */
  get chunks(): number {
    return this.kinds.filter((kind) => kind === 'artifactUpdate').length
  }

  seen(): JsonObject {
    return { first: this.kinds[0] ?? '', states: this.states, text: this.text, chunks: this.chunks }
  }

  take({ task, statusUpdate, artifactUpdate, message }: StreamResponse): void {
    if (task !== undefined) {
      this.kinds.push('task')
      this.task = task.id
      this.states.push(stateWord(task.status.state))
      this.text = artifactText(task.artifacts)
    } else if (statusUpdate !== undefined) {
      this.kinds.push('statusUpdate')
      this.states.push(stateWord(statusUpdate.status.state))
    } else if (artifactUpdate !== undefined) {
      this.kinds.push('artifactUpdate')
      this.text += textOf(artifactUpdate.artifact.parts)
    } else {
      this.kinds.push('message')
      this.text += textOf(message?.parts)
    }
  }
}
