const escapeCode = 0x1b
const bell = 0x07
/** Control strings begin so, after ESC or as one C1 character: DCS, SOS, OSC, PM, APC. */
const stringStarters: ReadonlySet<number> = new Set([0x50, 0x58, 0x5d, 0x5e, 0x5f])

type State = 'text' | 'escape' | 'sequence' | 'string' | 'string-escape'

/**
 * Makes a function that takes a text piece by piece and gives it without what a terminal would obey: escape sequences,
 * other control characters, and characters that turn the direction of a line. Line ends and tabs stay; a lone carriage
 * return becomes a line end, so that nothing is written over. A sequence never reaches beyond its line.
 */
export function createCleaner(): (piece: string) => string {
  let state: State = 'text'
  let afterReturn = false

  function step(code: number): string {
    if (code === 0x0a) {
      state = 'text'
      const second = afterReturn
      afterReturn = false
      return second ? '' : '\n'
    }
    afterReturn = code === 0x0d
    if (code === 0x0d) {
      state = 'text'
      return '\n'
    }
    switch (state) {
      case 'text':
        return plain(code)
      case 'escape':
        if (code === 0x5b) state = 'sequence'
        else if (stringStarters.has(code)) state = 'string'
        else if (code < 0x20 || code > 0x2f) state = 'text'
        return ''
      case 'sequence':
        if (code >= 0x40 && code <= 0x7e) state = 'text'
        else if (code === escapeCode) state = 'escape'
        return ''
      case 'string':
        if (code === bell || code === 0x9c) state = 'text'
        else if (code === escapeCode) state = 'string-escape'
        return ''
      case 'string-escape':
        state = code === 0x5c ? 'text' : code === escapeCode ? 'string-escape' : 'string'
        return ''
    }
  }

  function plain(code: number): string {
    if (code === 0x09) return '\t'
    if (code === escapeCode) state = 'escape'
    else if (code === 0x9b) state = 'sequence'
    else if (code >= 0x80 && stringStarters.has(code - 0x40)) state = 'string'
    else if (isVisible(code)) return String.fromCodePoint(code)
    return ''
  }

  return (piece) => {
    if (state === 'text' && !afterReturn && isClean(piece)) return piece
    let text = ''
    for (const char of piece) text += step(char.codePointAt(0) as number)
    return text
  }
}

function isVisible(code: number): boolean {
  if (code < 0x20 || (code >= 0x7f && code < 0xa0)) return false
  return !(code >= 0x202a && code <= 0x202e) && !(code >= 0x2066 && code <= 0x2069)
}

function isClean(text: string): boolean {
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code !== 0x0a && code !== 0x09 && !isVisible(code)) return false
  }
  return true
}

/** A whole text without what a terminal would obey. */
export function cleanText(text: string): string {
  return createCleaner()(text)
}

/** The same on one line, at most so many columns wide. */
export function cleanLine(text: string, columns: number = Number.POSITIVE_INFINITY): string {
  const line = cleanText(text).replaceAll(/\s+/g, ' ').trim()
  if (width(line) <= columns) return line
  let short = ''
  let used = 1
  for (const char of line) {
    used += widthOf(char.codePointAt(0) as number)
    if (used > columns) break
    short += char
  }
  return `${short.trimEnd()}…`
}

/** Columns that a text takes on a terminal. */
export function width(text: string): number {
  let columns = 0
  for (const char of text) columns += widthOf(char.codePointAt(0) as number)
  return columns
}

function widthOf(code: number): number {
  if (code >= 0x300 && code <= 0x36f) return 0
  const wide =
    (code >= 0x1100 && code <= 0x115f) ||
    (code >= 0x2e80 && code <= 0xa4cf) ||
    (code >= 0xac00 && code <= 0xd7a3) ||
    (code >= 0xf900 && code <= 0xfaff) ||
    (code >= 0xfe30 && code <= 0xfe6f) ||
    (code >= 0xff00 && code <= 0xff60) ||
    (code >= 0x1f300 && code <= 0x1faff) ||
    (code >= 0x20000 && code <= 0x3fffd)
  return wide ? 2 : 1
}
