const opening = '<think>'
const closing = '</think>'

/** Takes the text of an answer in pieces and gives it back without what stands between `<think>` and `</think>`. */
export interface ThinkSplitter {
  /** The part of the answer that is certain after this piece; may be empty. */
  push(piece: string): string
  /** What is left when the answer has ended. */
  end(): string
  /** Whether any thinking was taken out. */
  readonly thought: boolean
}

/**
 * Makes a splitter for one answer; the result does not depend on how the text is cut into pieces. A block that opens the
 * answer is thinking even when it never closes. One that opens later and never closes was text about the tag, and is given back.
 */
export function createThinkSplitter(): ThinkSplitter {
  let held = ''
  let inside = false
  /** Nothing but white space and thinking was seen so far. */
  let atStart = true
  let thought = false
  /** How much of `held` is known to hold no closing tag. */
  let searched = 0

  function outside(): string {
    const at = held.indexOf(opening)
    const end = at === -1 ? held.length - partialTag(held, opening) : at
    let text = held.slice(0, end)
    if (atStart && text.trimStart() === '') {
      // White space before thinking belongs to it; white space before an answer is part of the answer.
      if (at === -1) return ''
      text = ''
    } else if (atStart) {
      if (thought) text = text.trimStart()
      atStart = false
    }
    if (at === -1) held = held.slice(end)
    else {
      held = held.slice(at + opening.length)
      inside = true
      searched = 0
      thought ||= atStart
    }
    return text
  }

  return {
    get thought() {
      return thought
    },
    push(piece) {
      held += piece
      let text = ''
      for (;;) {
        if (!inside) {
          text += outside()
          if (!inside) return text
        }
        const at = held.indexOf(closing, searched)
        if (at === -1) {
          if (atStart) held = held.slice(held.length - partialTag(held, closing))
          searched = Math.max(0, held.length - closing.length + 1)
          return text
        }
        held = held.slice(at + closing.length)
        inside = false
        thought = true
      }
    },
    end() {
      let rest = held
      if (inside) rest = atStart ? '' : opening + held
      else if (atStart && thought) rest = held.trimStart()
      held = ''
      inside = false
      return rest
    },
  }
}

/** Length of the longest end of `text` that a tag could begin with. */
function partialTag(text: string, tag: string): number {
  for (let length = Math.min(text.length, tag.length - 1); length > 0; length--) {
    if (tag.startsWith(text.slice(text.length - length))) return length
  }
  return 0
}
