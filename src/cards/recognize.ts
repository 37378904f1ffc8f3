type Members = Readonly<Record<string, unknown>>

function members(value: unknown): Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Members) : {}
}

/** Whether JSON looks like an agent card of any version, sound or not. */
export function looksLikeCard(json: unknown): boolean {
  const card = members(json)
  const names = ['supportedInterfaces', 'supported_interfaces', 'skills', 'capabilities', 'protocolVersion', 'url']
  return typeof card.name === 'string' && names.some((name) => name in card)
}

/** What a card of before 1.0 offers, such as `A2A 0.3.0 over JSONRPC at https://…`; undefined for a card of 1.0 or both (§8.3). */
export function legacyOffer(json: unknown): string | undefined {
  const card = members(json)
  if ('supportedInterfaces' in card || 'supported_interfaces' in card || typeof card.url !== 'string') return undefined
  const version = typeof card.protocolVersion === 'string' ? card.protocolVersion : '0.3'
  const more = Array.isArray(card.additionalInterfaces) ? card.additionalInterfaces.map(members) : []
  const all = [{ url: card.url, transport: card.preferredTransport ?? 'JSONRPC' }, ...more]
  const offers = new Set(all.map(({ url, transport }) => `${String(transport)} at ${String(url)}`))
  return `A2A ${version} over ${[...offers].join(', ')}`
}
