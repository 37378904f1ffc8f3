/** What an agent does wrong without harm, each thing once. */
export interface Warnings {
  readonly list: readonly string[]
  add(text: string): void
}

const most = 200

/** Gathers warnings and passes each on once. Texts that differ only in an index count as one. */
export function createWarnings(onWarning?: (text: string) => void): Warnings {
  const list: string[] = []
  const seen = new Set<string>()
  return {
    list,
    add(text) {
      const kind = text.replace(/\[\d+\]/g, '[]')
      if (seen.has(kind) || list.length >= most) return
      seen.add(kind)
      list.push(text)
      onWarning?.(text)
    },
  }
}
