import type { TransportOptions } from '../bindings/fetch-call.ts'
import { connectHttp } from '../bindings/http/client.ts'
import { connectJsonRpc } from '../bindings/jsonrpc/client.ts'
import type { CallContext, Endpoint, Middleware } from '../protocol/endpoint.ts'
import { A2AError } from '../protocol/errors.ts'
import { idempotencyExtension, resumeExtension } from '../protocol/extensions.ts'
import type { AgentCard } from '../protocol/generated/v1/types.ts'
import { protocolVersion } from '../protocol/schema.ts'
import { type Agent, createAgent } from './agent.ts'
import { type CardCache, createCardCache } from './card-cache.ts'
import { type Credentials, createCredentials, explainAuthentication } from './credentials.ts'
import { discover, type FoundCard, toUrl } from './discover.ts'
import { withFallback } from './fallback.ts'
import type { Link } from './follow.ts'
import { canSpeakGrpc, connectGrpcLater } from './grpc.ts'
import { type ConnectBinding, type ConnectOptions, pollingDefaults, retryDefaults } from './options.ts'
import { withRetry } from './retry.ts'
import { createWarnings, type Warnings } from './warnings.ts'

const ownBindings: Readonly<Record<string, ConnectBinding>> = {
  JSONRPC: connectJsonRpc,
  'HTTP+JSON': connectHttp,
  ...(canSpeakGrpc && { GRPC: connectGrpcLater }),
}
/** Versions that are spoken, the preferred one first. */
const knownVersions: readonly string[] = [protocolVersion, '0.3']
const knownExtensions: readonly string[] = [resumeExtension, idempotencyExtension]
const sharedCache: CardCache = createCardCache()

/**
 * Finds an agent and makes it callable. `target` is a host (`example.com`), the URL of an agent or of its card, or a card.
 *
 * Throws A2AError: Unavailable or NotFound naming each address tried when there is no card, Unauthenticated when the card
 * is kept from the caller, VersionNotSupported or UnsupportedOperation when none of its interfaces can be used.
 */
export async function connect(target: string | URL | AgentCard, options: ConnectOptions = {}): Promise<Agent> {
  const warnings = createWarnings(options.onWarning)
  const credentials = createCredentials(options, warnings.add)
  const transport: TransportOptions = {
    headers: credentials.headers,
    warn: warnings.add,
    limits: withSendLimit(options.limits),
    ...(options.fetch && { fetch: options.fetch }),
    ...(options.tls && { tls: options.tls }),
  }
  // Loaded while the card is on its way.
  const reading = Promise.all([
    import('../cards/read.ts'),
    import('../cards/select.ts'),
    import('../cards/recognize.ts'),
    import('./addresses.ts'),
    import('./trace-calls.ts'),
  ])
  reading.catch(() => {})
  const found = await findCard(target, { options, transport, credentials, warnings })
  const [{ readCard }, { selectInterfaces }, { recognizeCard }, { addressReader }, { traceCalls }] = await reading
  const notes: string[] = []
  const card = readCard(found.json, { warnings: notes })
  const connectors = { ...ownBindings, ...options.bindings }
  const usable = selectInterfaces(card, {
    bindings: Object.keys(connectors).filter((name) => options.binding === undefined || name === options.binding),
    versions: options.version === undefined ? knownVersions : [options.version],
    warnings: notes,
    ...(found.url !== undefined && { cardUrl: found.url }),
  })
  // One that breaks off in one version is no better in another.
  const interfaces = usable.filter(({ protocolVersion: version }) => version === usable[0]?.protocolVersion)
  for (const note of notes) warnings.add(`card: ${note}`)
  checkExtensions(card, options)
  const secure = found.url?.startsWith('https:') ?? false
  const { draft } = recognizeCard(found.json)
  // The SDK for JavaScript, which stands on Express, is the one that has the bytes of a file where most have text.
  const filesAsText = options.filesAsText ?? (found.poweredBy === 'Express' ? false : undefined)
  const addressOf = await addressReader(interfaces, secure)
  const routes = interfaces.map((iface) => {
    const address = addressOf(iface)
    if (address !== undefined) credentials.trust(address)
    const connectTo = connectors[iface.protocolBinding] as ConnectBinding
    return {
      iface,
      endpoint: connectTo(iface, { ...transport, secure, draft, ...(filesAsText !== undefined && { filesAsText }) }),
    }
  })
  const routed = withFallback(routes, warnings.add)
  const retry = { ...retryDefaults, ...options.retry }
  const traced = traceCalls(() => routed.current().protocolBinding)
  const wrappers: Middleware[] = [...(options.middleware ?? []), withAuthentication(card), withRetry(retry), traced]
  const endpoint = wrappers.reduceRight<Endpoint>((next, wrap) => wrap(next), routed)
  const declares = (uri: string): boolean => card.capabilities.extensions?.some((known) => known.uri === uri) ?? false
  const link: Link = {
    endpoint,
    streaming: card.capabilities.streaming === true,
    resumable: declares(resumeExtension),
    repeatable: declares(idempotencyExtension),
    retry,
    polling: { ...pollingDefaults, ...options.polling },
    context: (call) => createContext(options, call),
    warn: warnings.add,
  }
  return createAgent({ card, link, warnings: warnings.list, currentInterface: routed.current })
}

/** One limit for the first byte, if only that is given, holds for sends as well. */
function withSendLimit(limits: ConnectOptions['limits'] = {}): NonNullable<ConnectOptions['limits']> {
  const { firstByte, firstByteOfSend = firstByte } = limits
  return { ...limits, ...(firstByteOfSend !== undefined && { firstByteOfSend }) }
}

interface Search {
  readonly options: ConnectOptions
  readonly transport: TransportOptions
  readonly credentials: Credentials
  readonly warnings: Warnings
}

async function findCard(
  target: string | URL | AgentCard,
  { options, transport, credentials, warnings }: Search,
): Promise<Omit<FoundCard, 'url'> & { readonly url?: string }> {
  if (typeof target !== 'string' && !(target instanceof URL)) return { json: target }
  const url = toUrl(String(target))
  credentials.trust(url.href)
  const cache = options.cache ?? (credentials.given || options.fetch ? undefined : sharedCache)
  try {
    return await discover(url, {
      transport,
      cache,
      warn: warnings.add,
      ...(options.signal && { signal: options.signal }),
    })
  } catch (error) {
    throw explainAuthentication(A2AError.from(error))
  }
}

/** An agent whose extension is required is not used by a client that does not ask for it (§4.6). */
function checkExtensions(card: AgentCard, { extensions = [] }: ConnectOptions): void {
  const asked = new Set([...knownExtensions, ...extensions])
  const missing = card.capabilities.extensions?.find(({ uri, required }) => required && !asked.has(uri ?? ''))
  if (missing === undefined) return
  const text = `The agent requires the extension ${missing.uri}. If your program follows it, name it in \`extensions\``
  throw new A2AError('ExtensionSupportRequired', text)
}

function withAuthentication(card: AgentCard): Middleware {
  const explain = (error: unknown): never => {
    throw explainAuthentication(A2AError.from(error), card)
  }
  return (next) => ({
    unary: (call) => next.unary(call).catch(explain),
    stream: (call) => next.stream(call).catch(explain),
  })
}

function createContext(options: ConnectOptions, call: Parameters<Link['context']>[0]): CallContext {
  const extensions = [...new Set([...(options.extensions ?? []), ...(call.extensions ?? [])])]
  return {
    version: protocolVersion,
    tenant: '',
    owner: '',
    extensions,
    headers: call.headers ?? {},
    ...(call.signal && { signal: call.signal }),
  }
}
