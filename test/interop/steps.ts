import { isDeepStrictEqual } from 'node:util'
import type { JsonObject, JsonValue } from '../../src/lib/json.ts'
import samples from './parts.json' with { type: 'json' }

/** A protocol binding by the name it has in cards. */
export type Binding = 'JSONRPC' | 'HTTP+JSON' | 'GRPC'
export type Version = '1.0' | '0.3'
export const bindings: readonly Binding[] = ['JSONRPC', 'HTTP+JSON', 'GRPC']
export const versions: readonly Version[] = ['1.0', '0.3']

/** What a client reports of one step: what it saw, the error it got, or why it has no such call. */
export interface StepLine {
  readonly step: string
  readonly saw?: JsonObject
  readonly error?: StepError
  readonly skipped?: string
}

export interface StepError {
  readonly name: string
  readonly code?: number
  readonly text: string
}

type Expectation = (saw: JsonObject, version: Version) => string | undefined

/** Error types by the marks under which SDKs show them: class or reason, number, or the words of a status message. */
const errorMarks: Readonly<Record<string, { readonly code: number; readonly words: RegExp }>> = {
  TaskNotFound: { code: -32001, words: /task.?not.?found/i },
  TaskNotCancelable: { code: -32002, words: /task.?not.?cancell?able/i },
  PushNotificationNotSupported: { code: -32003, words: /push.?notifications?.?not.?supported/i },
  UnsupportedOperation: { code: -32004, words: /unsupported.?operation/i },
  ExtendedCardNotConfigured: { code: -32007, words: /extended.?(agent.?)?card.?not.?configured/i },
  InvalidParams: { code: -32602, words: /invalid.?(params|argument|request)/i },
  VersionNotSupported: { code: -32009, words: /version.?not.?supported/i },
}

const task = (state: string, more: JsonObject = {}): Expectation => fields({ kind: 'task', state, ...more })
const steps: Readonly<Record<string, Expectation>> = {
  card: all(fields({ name: 'Interop', version: '1.2.3', streaming: true }), ({ interfaces }) =>
    typeof interfaces === 'number' && interfaces > 0 ? undefined : shown('interfaces', interfaces, 'one or more'),
  ),
  send: task('completed', { text: 'hällo 👋' }),
  'send-now': (saw) =>
    oneOf(saw.state, ['submitted', 'working']) ? undefined : shown('state', saw.state, 'submitted or working'),
  cancel: task('canceled'),
  message: fields({ kind: 'message', text: 'hi' }),
  stream: all(fields({ first: 'task', text: 'one two three', chunks: 3 }), (saw) => endsWith(saw.states, 'completed')),
  ask: task('input-required', { said: 'which colour?' }),
  reply: task('completed', { text: 'colour green', sameTask: true }),
  history: all(fields({ limited: 1 }), ({ texts }) =>
    Array.isArray(texts) && texts.includes('ask') && texts.includes('green')
      ? undefined
      : shown('texts', texts, 'both messages of the user'),
  ),
  list: fields({ found: true, total: 1 }),
  subscribe: fields({ state: 'completed', text: counted(12), final: counted(12) }),
  parts: fields({ parts: samples.parts }),
  value: fields({ parts: samples.value }),
  mirror: fields({ parts: samples.parts }),
  size: task('completed', { text: '9' }),
  fail: task('failed', { said: 'it broke' }),
  reject: task('rejected', { said: 'not today' }),
}

/** What each step that must fail has to bring; at 0.3, where the specification leaves the type open, any error will do. */
const errorSteps: Readonly<Record<string, { readonly error: string; readonly open?: boolean }>> = {
  'error-get-unknown': { error: 'TaskNotFound' },
  'error-cancel-unknown': { error: 'TaskNotFound' },
  'error-cancel-done': { error: 'TaskNotCancelable' },
  'error-send-done': { error: 'UnsupportedOperation', open: true },
  'error-send-unknown': { error: 'TaskNotFound' },
  'error-subscribe-unknown': { error: 'TaskNotFound' },
  'error-subscribe-done': { error: 'UnsupportedOperation', open: true },
  'error-push': { error: 'PushNotificationNotSupported' },
  'error-card': { error: 'UnsupportedOperation|ExtendedCardNotConfigured' },
  'error-invalid': { error: 'InvalidParams' },
  'error-version': { error: 'VersionNotSupported' },
}

/** All steps in the order in which clients play them. */
export const stepNames: readonly string[] = [...Object.keys(steps), ...Object.keys(errorSteps)]

/** What is wrong with a step; undefined when nothing is. */
export function judge({ step, saw, error }: StepLine, version: Version): string | undefined {
  const wanted = errorSteps[step]
  if (wanted === undefined) {
    if (error !== undefined) return `error ${error.name} ${error.code ?? ''}: ${error.text}`
    return steps[step]?.(saw ?? {}, version) ?? (steps[step] === undefined ? 'no such step' : undefined)
  }
  if (error === undefined) return `no error, but ${JSON.stringify(saw)}`
  if (wanted.open && version === '0.3') return undefined
  const marks = wanted.error.split('|').map((name) => errorMarks[name])
  const known = marks.some(
    (mark) => mark !== undefined && (error.code === mark.code || mark.words.test(`${error.name} ${error.text}`)),
  )
  return known ? undefined : `not shown as ${wanted.error}: ${error.name} ${error.code ?? ''}: ${error.text}`
}

/** The text of the chunks of `count N`. */
function counted(count: number): string {
  return Array.from({ length: count }, (_, at) => `${at} `).join('')
}

function fields(expected: JsonObject): Expectation {
  return (saw) => {
    for (const [name, value] of Object.entries(expected)) {
      const seen = saw[name]
      if (isDeepStrictEqual(seen, value)) continue
      if (!Array.isArray(seen) || !Array.isArray(value)) return shown(name, seen, JSON.stringify(value))
      const at = value.findIndex((item, index) => !isDeepStrictEqual(seen[index], item))
      return at < 0 ? `${name} has ${seen.length} items` : shown(`${name}[${at}]`, seen[at], JSON.stringify(value[at]))
    }
    return undefined
  }
}

function all(...expectations: readonly Expectation[]): Expectation {
  return (saw, version) => {
    for (const expectation of expectations) {
      const problem = expectation(saw, version)
      if (problem !== undefined) return problem
    }
    return undefined
  }
}

function endsWith(states: JsonValue | undefined, last: string): string | undefined {
  return Array.isArray(states) && states.at(-1) === last ? undefined : shown('states', states, `… ${last}`)
}

function oneOf(value: JsonValue | undefined, known: readonly string[]): boolean {
  return typeof value === 'string' && known.includes(value)
}

function shown(name: string, value: JsonValue | undefined, wanted: string): string {
  return `${name} is ${JSON.stringify(value)}, not ${wanted}`
}
