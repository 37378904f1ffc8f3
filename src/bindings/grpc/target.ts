import { A2AError } from '../../protocol/errors.ts'

/** Where a gRPC interface is. */
export interface GrpcTarget {
  /** The name that a channel is made for, such as `dns:agent.example:443`. */
  readonly name: string
  /** Whether it is reached over TLS. */
  readonly secure: boolean
  /** An http or https URL with the same host, port and security: what decides which credentials it gets to see. */
  readonly url: string
  /** The address as people get to see it. */
  readonly shown: string
}

export interface TargetOptions {
  /** Whether an address that does not say so is reached over TLS; port 443 always is. */
  readonly secure?: boolean
}

const schemes: Readonly<Record<string, boolean>> = { http: false, https: true, grpc: false, grpcs: true }

/**
 * Reads the address of a gRPC interface: `host:port`, `host`, `http(s)://`, `grpc(s)://`, `dns:`, `ipv4:`, `ipv6:` or `unix:`.
 * Without a port it is 443 over TLS, else 80. Throws Unavailable for anything else, with `delivered: no`.
 */
export function readTarget(address: string, { secure = false }: TargetOptions = {}): GrpcTarget {
  const text = address.trim()
  if (/^unix(-abstract)?:/i.test(text)) return { name: text, secure: false, url: 'http://localhost/', shown: text }
  const [, scheme, rest] = /^([a-z][a-z0-9+.-]*):\/\/(.*)$/i.exec(text) ?? []
  const known = schemes[scheme?.toLowerCase() ?? '']
  if (known !== undefined) return hostTarget(rest as string, { address, secure: known, certain: true })
  if (scheme !== undefined && scheme.toLowerCase() !== 'dns') throw unreadable(address, `gRPC has no scheme ${scheme}`)
  // dns://server/host:port asks a certain name server.
  const [, resolver, named] = /^dns:(?:\/\/([^/]*)\/)?(.*)$/i.exec(text) ?? []
  const plain = named !== undefined && !/^\d+$/.test(named) ? named : text
  const [, family, literal] = /^(ipv[46]):(.*)$/i.exec(plain) ?? []
  const target = hostTarget((literal ?? plain).split(',', 1)[0] as string, { address, secure, certain: false })
  if (family !== undefined) return { ...target, name: plain }
  return resolver ? { ...target, name: target.name.replace('dns:', `dns://${resolver}/`) } : target
}

interface Known {
  readonly address: string
  readonly secure: boolean
  /** Whether the address itself says so. */
  readonly certain: boolean
}

function hostTarget(text: string, { address, secure, certain }: Known): GrpcTarget {
  const [authority = ''] = text.split(/[/?#]/, 1)
  if (authority.includes('@'))
    throw unreadable(address, 'it holds a user name; give credentials as `token` or `headers`')
  const bare = /^[0-9a-f]*:[0-9a-f:.]*:[0-9a-f:.]*$/i.test(authority) ? `[${authority}]` : authority
  const [, host, digits] = /^(\[[0-9a-f:.]+\]|[^\s:[\]\\]+)(?::(\d{1,5}))?$/i.exec(bare) ?? []
  const port = Number(digits ?? (secure ? 443 : 80))
  if (host === undefined || port < 1 || port > 65_535) throw unreadable(address, 'it must be host:port')
  const encrypted = secure || (!certain && port === 443)
  const url = `${encrypted ? 'https' : 'http'}://${host}:${port}/`
  if (!URL.canParse(url)) throw unreadable(address, 'it must be host:port')
  const shown = `${encrypted ? 'grpcs' : 'grpc'}://${host}:${port}`
  return { name: `dns:${host}:${port}`, secure: encrypted, url, shown }
}

function unreadable(address: string, why: string): A2AError {
  const text = `${JSON.stringify(address.slice(0, 200))} is no address of a gRPC interface: ${why}`
  return new A2AError('Unavailable', text, { metadata: { delivered: 'no' }, retryable: false })
}
