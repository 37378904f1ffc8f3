import { type Profile, type ProfileName, profiles } from '../../src/protocol/profiles.ts'
import { grpcPeer, protoOf03, protoOf10 } from './wire/grpc.ts'
import { exchange } from './wire/http.ts'
import { jsonRpcPeer } from './wire/json-rpc.ts'
import { allBindings, type Binding, type Json, type Peer } from './wire/peer.ts'
import { olderError, olderRestRules, restPeer } from './wire/rest.ts'

/** How a suite writes its requests. */
export type Style = 'tck' | 'acts' | 'tck-0.3'

/** Tokens for a server that lets in only some. */
export interface Tokens {
  readonly valid: string
  /** Of somebody else who is let in. */
  readonly other: string
  /** Known, but not enough. */
  readonly insufficient: string
}

/** The server under test. */
export interface Subject {
  readonly url: string
  readonly cardUrl: string
  readonly card: Json
  readonly expects: Profile
  readonly style: Style
  readonly tokens: Tokens | undefined
  /** A part of every messageId of the session, as suites use ids again and again. */
  readonly session: string
  /** The address of a binding, as the first interface of the card for it has it. */
  address(binding: Binding): string | undefined
  /** A binding spoken by hand; `token: null` shows none. */
  peer(binding: Binding, options?: { readonly token?: string | null }): Peer
}

export interface SubjectOptions {
  readonly profile: ProfileName
  readonly style: Style
  readonly tokens?: Tokens
  /** Addresses that are used in place of those in the card. */
  readonly addresses?: Readonly<Partial<Record<Binding, string>>>
}

interface Interface {
  readonly url: string
  readonly protocolBinding: string
  readonly protocolVersion: string
}

/** What the tokens of the conformance agent are called. */
export const conformanceTokens: Tokens = {
  valid: 'itk-valid-token',
  other: 'itk-other-token',
  insufficient: 'itk-insufficient-token',
}

/** Reads the card of a server, which says all the rest. */
export async function readSubject(url: string, options: SubjectOptions): Promise<Subject> {
  const { profile, style, tokens, addresses = {} } = options
  const cardUrl = `${url.replace(/\/$/, '')}/.well-known/agent-card.json`
  const headers = style === 'acts' ? { 'a2a-version': '1.0' } : {}
  const { body, status } = await exchange({ method: 'GET', url: cardUrl, headers })
  if (body === undefined) throw new Error(`${cardUrl} answers with ${status}, not with a card`)
  const listed =
    style === 'tck-0.3' ? olderInterfaces(body) : ((body.supportedInterfaces ?? []) as readonly Interface[])
  const interfaces = new Map<string, string>(Object.entries(addresses))
  for (const { url: address, protocolBinding, protocolVersion } of listed) {
    if (style === 'acts' && protocolVersion !== '1.0') continue
    if (!interfaces.has(protocolBinding)) interfaces.set(protocolBinding, address)
  }
  if (!allBindings.some((binding) => interfaces.has(binding))) {
    throw new Error(`${cardUrl}: supportedInterfaces names none of ${allBindings.join(', ')}`)
  }
  const subject: Subject = {
    url: url.replace(/\/$/, ''),
    cardUrl,
    card: body,
    expects: profiles[profile],
    style,
    tokens,
    session: crypto.randomUUID().slice(0, 8),
    address: (binding) => interfaces.get(binding),
    peer(binding, { token = tokens?.valid } = {}) {
      const address = interfaces.get(binding)
      if (address === undefined) throw new Error(`the card names no interface for ${binding}`)
      return openPeer(binding, { address, style, token: token ?? undefined })
    },
  }
  return subject
}

/** The interfaces as a card of 0.3 names them. */
function olderInterfaces({
  url,
  preferredTransport = 'JSONRPC',
  additionalInterfaces = [],
}: Json): readonly Interface[] {
  if (typeof url !== 'string') throw new Error('the card names no address as 0.3 does: `url` is missing')
  const all = [{ url, transport: preferredTransport }, ...(additionalInterfaces as readonly Json[])]
  return all.map((each) => ({
    url: String(each.url),
    protocolBinding: String(each.transport),
    protocolVersion: '0.3',
  }))
}

interface PeerChoice {
  readonly address: string
  readonly style: Style
  readonly token: string | undefined
}

function openPeer(binding: Binding, { address: url, style, token }: PeerChoice): Peer {
  const credentials: Readonly<Record<string, string>> = token === undefined ? {} : { authorization: `Bearer ${token}` }
  if (style === 'tck-0.3') {
    if (binding === 'JSONRPC') return jsonRpcPeer({ url, headers: credentials })
    if (binding === 'HTTP+JSON')
      return restPeer({ url, headers: credentials, rules: olderRestRules, errorIn: olderError })
    return grpcPeer({ url, headers: credentials, proto: protoOf03() })
  }
  const headers = { 'a2a-version': '1.0', ...credentials }
  const tck = style === 'tck'
  if (binding === 'JSONRPC') return jsonRpcPeer({ url, headers, snakeCase: tck, slash: tck })
  if (binding === 'HTTP+JSON') return restPeer({ url, headers })
  return grpcPeer({ url, headers, proto: protoOf10() })
}
