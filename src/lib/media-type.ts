/** A media type and its parameters, all in lower case but the values. */
export interface MediaType {
  readonly type: string
  readonly parameters: Readonly<Record<string, string>>
}

/** Reads a `Content-Type` value or one item of `Accept` (RFC 9110 §8.3.1). */
export function parseMediaType(text: string): MediaType {
  const [type = '', ...rest] = text.split(';')
  const parameters: Record<string, string> = {}
  for (const item of rest) {
    const at = item.indexOf('=')
    if (at < 0) continue
    const value = item.slice(at + 1).trim()
    const bare = value.length > 1 && value.startsWith('"') && value.endsWith('"') ? value.slice(1, -1) : value
    parameters[item.slice(0, at).trim().toLowerCase()] = bare
  }
  return { type: type.trim().toLowerCase(), parameters }
}

/** The weight that an `Accept` value gives to a type by its own name, ranges aside; undefined when it does not name it. */
export function acceptWeight(accept: string, type: string): number | undefined {
  if (!accept.toLowerCase().includes(type)) return undefined
  for (const item of accept.split(',')) {
    const media = parseMediaType(item)
    if (media.type !== type) continue
    const weight = Number(media.parameters.q ?? '1')
    return Number.isNaN(weight) ? 1 : weight
  }
  return undefined
}
