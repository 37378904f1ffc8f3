export interface AddressOptions {
  /** Where the address stands in the card, for warnings. */
  readonly path: string
  readonly binding: string
  /** Where the card came from; relative and unspecified addresses are read against it. */
  readonly cardUrl?: string
  /** Receives what was accepted in spite of a flaw. */
  readonly warnings: string[]
}

/**
 * The address of an interface, as the card has it unless it leads nowhere as it stands: a relative one and one that names
 * no host are completed from the address of the card, with a warning (§8.3.1). undefined where that cannot be done.
 */
export function readAddress(listed: string, options: AddressOptions): string | undefined {
  if (listed === '') return undefined
  if (options.binding === 'GRPC') return grpcAddress(listed, options)
  let address: URL
  try {
    address = new URL(listed)
  } catch {
    return relativeAddress(listed, options)
  }
  if (address.protocol !== 'http:' && address.protocol !== 'https:') return listed
  const { path, cardUrl, warnings } = options
  const unspecified = address.hostname === '0.0.0.0' || address.hostname === '[::]'
  if (!unspecified || cardUrl === undefined) return listed
  address.hostname = new URL(cardUrl).hostname
  warnings.push(`${path}: "${listed}" names no host; ${address.href} was used`)
  return address.href
}

function relativeAddress(listed: string, { path, cardUrl, warnings }: AddressOptions): string | undefined {
  try {
    const { href } = new URL(listed, cardUrl)
    warnings.push(`${path}: "${listed}" must be absolute; ${href} was used`)
    return href
  } catch {
    return undefined
  }
}

/** `host:port`, or a target with `http(s)://`, `grpc(s)://`, `dns:` or the like; a path alone is none (AMB-60). */
function grpcAddress(listed: string, { path, cardUrl, warnings }: AddressOptions): string | undefined {
  if (listed.startsWith('/')) return undefined
  if (cardUrl === undefined) return listed
  // A socket of this machine is for nobody to name from elsewhere: credentials would go there.
  if (/^unix/i.test(listed) && !thisMachine.has(new URL(cardUrl).hostname)) return undefined
  const address = listed.replace(noHost, (_, scheme: string) => scheme + new URL(cardUrl).hostname)
  if (address !== listed) warnings.push(`${path}: "${listed}" names no host; ${address} was used`)
  return address
}

const thisMachine: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]'])

/** The beginning of a target that names every host, or none before its port. */
const noHost = /^((?:https?|grpcs?):\/\/|dns:(?:\/\/[^/]*\/)?|)(?:(?:0\.0\.0\.0|\[[0:]+\])(?=[:/]|$)|(?=:\d))/i
