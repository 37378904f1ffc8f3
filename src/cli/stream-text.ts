import type { Artifact, Part, StreamResponse } from '../protocol/generated/v1/types.ts'

/** Turns the events of a task into the text that grows on the screen. */
export interface StreamText {
  /** What an event adds to the text. */
  take(event: StreamResponse): string
  /** All that was given. */
  readonly shown: string
}

function textOf(parts: readonly Part[]): string {
  return parts.map(({ text }) => text ?? '').join('')
}

/**
 * Follows the artifacts of one task. Each text comes once: artifacts are parted by a line end, a snapshot adds only what is
 * new in it, and so does the full text that agents built on ADK send after its pieces.
 */
export function createStreamText(): StreamText {
  const texts = new Map<string, string>()
  let pieces = ''
  let shown = ''
  let last: string | undefined

  function add(id: string, text: string): string {
    if (text === '') return ''
    const gap = last !== undefined && last !== id && !shown.endsWith('\n') ? '\n' : ''
    last = id
    shown += gap + text
    return gap + text
  }

  function artifact({ artifactId, parts, metadata }: Artifact, append: boolean): string {
    const text = textOf(parts)
    if (metadata?.adk_partial === true) {
      pieces += text
      return add('adk_partial', text)
    }
    const known = texts.get(artifactId)
    if (append) {
      texts.set(artifactId, (known ?? '') + text)
      return add(artifactId, text)
    }
    texts.set(artifactId, text)
    if (known === undefined && pieces !== '' && text.startsWith(pieces)) {
      const rest = text.slice(pieces.length)
      pieces = ''
      last = artifactId
      shown += rest
      return rest
    }
    if (known !== undefined && text.startsWith(known)) return add(artifactId, text.slice(known.length))
    // Another text in place of one that is on the screen already begins on a line of its own.
    if (known !== undefined) last = ''
    return add(artifactId, text)
  }

  return {
    take({ task, message, artifactUpdate }) {
      if (task !== undefined) return (task.artifacts ?? []).map((known) => artifact(known, false)).join('')
      if (message !== undefined) return add(message.messageId, textOf(message.parts))
      if (artifactUpdate !== undefined) return artifact(artifactUpdate.artifact, artifactUpdate.append === true)
      return ''
    },
    get shown() {
      return shown
    },
  }
}
