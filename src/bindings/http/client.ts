import { encodeValue } from '../../protocol/encoded.ts'
import type { Call, Endpoint, Reply } from '../../protocol/endpoint.ts'
import { A2AError, invalidParams } from '../../protocol/errors.ts'
import type { AgentInterface } from '../../protocol/generated/v1/types.ts'
import type { OperationName, StreamOperation, UnaryOperation } from '../../protocol/operations.ts'
import type { HttpRule } from '../../protocol/schema.ts'
import { readJson } from '../answer.ts'
import { callHeaders, callTenant } from '../call-headers.ts'
import { type FetchAnswer, fetchCall, type TransportOptions, transportLimits } from '../fetch-call.ts'
import { type CallRow, type Peer, peerOf } from '../peer.ts'
import { activatedExtensions } from '../service-parameters.ts'
import { openStream } from '../stream-reply.ts'

const json = 'application/json'
const a2aJson = 'application/a2a+json'

/** Calls an agent by HTTP+JSON (§11). */
export function connectHttp(iface: AgentInterface, transport: TransportOptions = {}): Endpoint {
  const warn = transport.warn ?? (() => {})
  const limits = { ...transportLimits, ...transport.limits }
  const getPeer = peerOf(iface, { binding: 'rest', filesAsText: transport.filesAsText, warn })
  let bodyType = a2aJson

  async function request(call: Call<OperationName>, given: Try, stream = ''): Promise<FetchAnswer> {
    const { peer, row, rule, written = peer.request(row, call.request) } = given
    const tenant = peer.isOld ? '' : callTenant(call.context, iface)
    const { url, body } = fillRule(rule, { url: iface.url, request: written, tenant })
    const accept = peer.isOld ? stream + json : `${stream}${a2aJson}, ${json}`
    const send = (type: string): Promise<FetchAnswer> =>
      fetchCall(
        {
          url,
          method: rule.verb,
          headers: { accept, ...(body !== undefined && { 'content-type': type }), ...callHeaders(call.context, iface) },
          ...(body !== undefined && { body }),
          signal: call.context.signal,
          firstByte: 'message' in call.request ? limits.firstByteOfSend : limits.firstByte,
        },
        transport,
      )
    const answer = await send(peer.isOld ? json : bodyType)
    if (peer.isOld || answer.status !== 415 || body === undefined || bodyType === json) return answer
    // Refused unread, so nothing is done twice.
    await answer.text()
    warn(`http: the peer does not take ${a2aJson}; ${json} was sent instead`)
    bodyType = json
    return send(json)
  }

  /** The verbs of an operation are tried in turn while the peer says that it does not know such a path or verb. */
  async function firstThatFits<T>(call: Call<OperationName>, attempt: (given: Try) => Promise<T>): Promise<T> {
    const peer = await getPeer()
    const row = peer.row(call.operation)
    const withTenant = !peer.isOld && callTenant(call.context, iface) !== ''
    const [main, ...others] = row.http.filter(({ path }) => path.startsWith('/{tenant}/') === withTenant)
    const rules = main === undefined ? [] : [main, ...others.filter(({ path }) => path === main.path)]
    for (const [at, rule] of rules.entries()) {
      try {
        return await attempt({ peer, row, rule })
      } catch (error) {
        const { code } = A2AError.from(error)
        const unknown = code === 'MethodNotAllowed' || code === 'NotFound' || (peer.isOld && code === 'MethodNotFound')
        if (at === rules.length - 1 || !unknown) throw error
        warn(`http: ${rule.verb} ${rule.path} is not known there; ${rules[at + 1]?.verb} was tried instead`)
      }
    }
    throw new TypeError(`${call.operation} has no HTTP form`)
  }

  async function ask<O extends UnaryOperation>(call: Call<O>, given: Try): Promise<Reply<O>> {
    const answer = await request(call, given)
    const value = await given.peer.answer(given.row, (await readJson(answer)) ?? {}, call.request)
    return { result: encodeValue(value), extensions: activatedExtensions(answer.headers) } as Reply<O>
  }

  const endpoint: Endpoint = {
    unary<O extends UnaryOperation>(call: Call<O>): Promise<Reply<O>> {
      return firstThatFits(call, (given) => {
        const attempt = (written?: object): Promise<Reply<O>> => ask(call, written ? { ...given, written } : given)
        return given.peer.insist?.(attempt, given.row, call.request) ?? attempt()
      })
    },
    stream<O extends StreamOperation>(call: Call<O>) {
      return firstThatFits(call, async (given) => {
        const answer = await request(call, given, 'text/event-stream, ')
        const stream = await openStream(answer, { framing: 'bare', transport, peer: given.peer })
        return given.peer.follow(stream, { call, endpoint })
      })
    },
  }
  return endpoint
}

interface Try {
  readonly peer: Peer
  readonly row: CallRow
  readonly rule: HttpRule
  /** The request in the version's form, where it is not the usual one. */
  readonly written?: object
}

interface Filled {
  readonly url: string
  readonly body: string | undefined
}

/** The address and body of a request: path fields in the path, the rest in the body or the query (§11.5). */
function fillRule(rule: HttpRule, { url, request, tenant }: { url: string; request: object; tenant: string }): Filled {
  const fields: Record<string, unknown> = { ...request, tenant }
  const used = new Set(['tenant'])
  const path = rule.path.replace(/\{(\w+)\}/g, (_, name: string) => {
    used.add(name)
    return pathSegment(name, String(fields[name] ?? ''))
  })
  const rest = Object.entries(fields).filter(([name, value]) => !used.has(name) && value !== undefined)
  const address = new URL(url)
  address.pathname = address.pathname.replace(/\/+$/, '') + path
  if (rule.body === '*') return { url: address.href, body: JSON.stringify(Object.fromEntries(rest)) }
  for (const [name, value] of rest) address.searchParams.append(name, String(value))
  address.search = address.search.replaceAll('+', '%20')
  return { url: address.href, body: undefined }
}

/** One segment of a path. Two texts cannot be one: an address that holds them is another address. */
function pathSegment(name: string, value: string): string {
  if (value === '.' || value === '..') {
    throw invalidParams([
      { field: name, description: `cannot be "${value}" over HTTP+JSON, where it is part of a path` },
    ])
  }
  return encodeURIComponent(value)
}
