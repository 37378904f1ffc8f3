import type { ModelSettings } from './settings.ts'

/** Why a model could not answer: what callers may read, and what decides whether it is tried again. */
export interface ModelFailure {
  /** Safe for callers: no keys, no addresses but that of a local model runner. */
  readonly text: string
  /** Whether the same request may succeed a moment later. */
  readonly retryable: boolean
  /** Whether the model is likely to fail other conversations as well. */
  readonly lasting: boolean
  readonly status?: number
  /** Milliseconds that the provider asks to wait. */
  readonly retryAfter?: number
}

type FailureSettings = Pick<ModelSettings, 'label' | 'provider' | 'model' | 'baseUrl' | 'apiKey'>

const statusNames: Readonly<Record<number, string>> = {
  400: 'the provider did not accept the request',
  401: 'the provider did not accept the API key',
  402: 'the account of the provider has no credit',
  403: 'the provider refused access',
  404: 'the provider does not know the model',
  408: 'the provider timed out',
  413: 'the conversation is too large for the provider',
  422: 'the provider did not accept the request',
  429: 'the provider limits the rate of requests',
  500: 'the provider failed',
  502: 'the provider is not available',
  503: 'the provider is not available',
  504: 'the provider timed out',
  529: 'the provider is overloaded',
}

/** Reads an error of a model call. */
export function readFailure(error: unknown, settings: FailureSettings): ModelFailure {
  const status = statusOf(error)
  if (status !== undefined && status >= 400) {
    const retryAfter = retryAfterOf(error)
    const meaning =
      statusNames[status] ?? (status >= 500 ? 'the provider failed' : 'the provider did not accept the request')
    // What providers say about a wrong key often repeats a part of it.
    const said = status === 401 || status === 403 ? '' : shortReason(messageOf(error), settings)
    const pull =
      settings.provider === 'dmr' && status === 404 ? `. Fetch it with: docker model pull ${settings.model}` : ''
    return {
      text: `The model ${settings.label} failed: HTTP ${status}, ${meaning}${said === '' ? '' : ` (${said})`}${pull}`,
      retryable: status === 408 || status === 409 || status === 429 || status >= 500,
      lasting: status !== 400 && status !== 409 && status !== 413 && status !== 422,
      status,
      ...(retryAfter !== undefined && { retryAfter }),
    }
  }
  const code = networkCode(error)
  if (code !== undefined)
    return { text: unreachable(code, settings), retryable: !lastingCodes.has(code), lasting: true }
  const said = shortReason(messageOf(error), settings)
  return {
    text: `The model ${settings.label} failed${said === '' ? '' : `: ${said}`}`,
    retryable: false,
    lasting: false,
  }
}

function unreachable(code: string, settings: FailureSettings): string {
  const reason = networkCodes[code]!
  if (settings.provider !== 'dmr') return `The model ${settings.label} could not be reached: ${reason}`
  return noRunnerText(settings, reason)
}

/** What to do when no model runner listens: the address that was tried, and the ways on. */
export function noRunnerText(settings: Pick<ModelSettings, 'label' | 'model' | 'baseUrl'>, reason: string): string {
  return (
    `The model ${settings.label} could not be reached: ${reason} at ${withoutSecrets(settings.baseUrl ?? '')}. ` +
    `Start a model runner there (docker model pull ${settings.model}), set base_url or MODEL_RUNNER_HOST to where one listens, ` +
    'or serve with --fake FILE to answer from a script'
  )
}

const networkCodes: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens',
  ENOTFOUND: 'there is no such host',
  EAI_AGAIN: 'the name of the host could not be looked up',
  EHOSTUNREACH: 'there is no way to the host',
  ENETUNREACH: 'there is no way to the network',
  ECONNRESET: 'the connection broke off',
  EPIPE: 'the connection broke off',
  UND_ERR_SOCKET: 'the connection broke off',
  ETIMEDOUT: 'the connection timed out',
  UND_ERR_CONNECT_TIMEOUT: 'the connection timed out',
  UND_ERR_HEADERS_TIMEOUT: 'no answer came in time',
  UND_ERR_BODY_TIMEOUT: 'the answer stopped',
}

const lastingCodes: ReadonlySet<string> = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EHOSTUNREACH', 'ENETUNREACH'])

function* causes(error: unknown): Generator<Record<string, unknown>> {
  let here = error
  for (let depth = 0; depth < 6 && here !== null && typeof here === 'object'; depth++) {
    yield here as Record<string, unknown>
    const { cause, errors } = here as { cause?: unknown; errors?: readonly unknown[] }
    here = cause ?? errors?.[0]
  }
}

/** The network error behind an error, if there is one that is known. */
export function networkCode(error: unknown): string | undefined {
  for (const { code } of causes(error)) {
    if (typeof code === 'string' && code in networkCodes) return code
  }
  return undefined
}

/** What a network error means, in words. */
export function networkReason(error: unknown): string {
  return networkCodes[networkCode(error) ?? ''] ?? 'no answer'
}

function statusOf(error: unknown): number | undefined {
  for (const cause of causes(error)) {
    for (const value of [cause.statusCode, cause.status, cause.code]) {
      const status = typeof value === 'string' ? Number(value) : value
      if (typeof status === 'number' && status >= 400 && status < 600) return status
    }
    if (cause.type === 'overloaded_error') return 529
    if (cause.type === 'rate_limit_error') return 429
  }
  return undefined
}

function retryAfterOf(error: unknown): number | undefined {
  for (const { responseHeaders } of causes(error)) {
    const headers = responseHeaders as Record<string, string> | undefined
    const exact = Number(headers?.['retry-after-ms'])
    if (Number.isFinite(exact) && exact >= 0) return exact
    const given = headers?.['retry-after']
    if (given === undefined) continue
    const wait = /^\d+(\.\d+)?$/.test(given) ? Number(given) * 1_000 : Date.parse(given) - Date.now()
    if (Number.isFinite(wait)) return Math.max(0, wait)
  }
  return undefined
}

function messageOf(error: unknown): string {
  if (typeof error === 'string') return error
  for (const { message } of causes(error)) if (typeof message === 'string' && message !== '') return message
  return ''
}

/** What a log may say about an error: what failed and why, but no request, answer or stack, which may hold what users wrote. */
export function failureFields(error: unknown, settings: FailureSettings): Readonly<Record<string, unknown>> {
  const [first, ...rest] = [...causes(error)]
  const { apiKey = '', baseUrl, label } = settings
  const clean = (text: unknown): string => (apiKey === '' ? String(text) : String(text).replaceAll(apiKey, '…'))
  return {
    model: label,
    error: first?.name ?? typeof error,
    message: clean(messageOf(error)),
    ...(baseUrl !== undefined && { baseUrl: withoutSecrets(baseUrl) }),
    ...(first?.statusCode !== undefined && { status: first.statusCode }),
    ...(rest.length > 0 && {
      causes: rest.map((cause) => clean(`${cause.code ?? cause.name ?? ''} ${cause.message ?? ''}`.trim())),
    }),
  }
}

/** At most 200 characters of a provider's text, without addresses, keys and line breaks. */
export function shortReason(text: string, settings: Pick<ModelSettings, 'apiKey'> = {}): string {
  let safe = text
  if (settings.apiKey !== undefined && settings.apiKey !== '') safe = safe.replaceAll(settings.apiKey, '…')
  safe = safe
    .replace(/\bhttps?:\/\/[^\s"'<>)]+/gi, '…')
    .replace(/\b(bearer|basic)\s+\S+/gi, '$1 …')
    .replace(/\b(sk|pk|key|ghp|gsk|xai|hf|AIza)[-_]?[A-Za-z0-9*_-]{12,}/g, '…')
    .replace(/\b\d{1,3}(\.\d{1,3}){3}(:\d+)?\b/g, '…')
    .replace(/\s+/g, ' ')
    .trim()
  return safe.length > 200 ? `${safe.slice(0, 199)}…` : safe
}

/** A URL without user, password and query. */
export function withoutSecrets(url: string): string {
  if (!URL.canParse(url)) return url
  const { origin, pathname } = new URL(url)
  return `${origin}${pathname}`
}
