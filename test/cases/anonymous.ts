/** Replaces what differs from one task to the next: ids, times, random keys, in the order in which they appear. */
export function anonymous(value: unknown): unknown {
  const names = new Map<string, string>()
  const text = JSON.stringify(value ?? null).replace(
    /[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}|\d{4}-\d\d-\d\dT[\d:.]+Z|(?<="nextPageToken":")[\w-]+/g,
    (found) => {
      if (!/^[\da-f-]{36}$/.test(found)) return found.endsWith('Z') ? 'TIME' : 'TOKEN'
      if (!names.has(found)) names.set(found, `ID${names.size}`)
      return names.get(found) as string
    },
  )
  return JSON.parse(text)
}
