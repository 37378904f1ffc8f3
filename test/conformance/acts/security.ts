import assert from 'node:assert/strict'
import { connect } from '../../../src/client/connect.ts'
import { errorName } from '../failures.ts'
import { type Check, needs, resultOf, type Scene, type SeenTask, skip } from '../scene.ts'
import { valid } from '../schema-check.ts'
import type { Subject, Tokens } from '../subject.ts'
import { exchange } from '../wire/http.ts'
import type { Json, WireError } from '../wire/peer.ts'
import { say } from './say.ts'

function tokensOf({ subject }: Scene): Tokens {
  return subject.tokens ?? skip('the server lets everybody in')
}

/** What a caller with this token is told. */
async function refused(scene: Scene, token: string | null, operation = 'ListTasks'): Promise<WireError> {
  const { error } = await scene.open(scene.peer.binding, { token }).call(operation, {})
  assert.ok(error, 'the server lets this caller in')
  return error
}

interface Scheme extends Json {
  readonly httpAuthSecurityScheme?: { readonly scheme: string }
}

const auth: readonly Check[] = [
  {
    id: 'SEC-AUTH-001',
    level: 'MUST',
    title: 'a valid token is let in',
    async run(scene) {
      tokensOf(scene)
      valid('SendMessageResponse', resultOf(await say(scene, 'tck-complete-task')))
    },
  },
  {
    id: 'SEC-AUTH-002',
    level: 'MUST',
    title: 'no token is Unauthenticated',
    async run(scene) {
      tokensOf(scene)
      assert.equal(errorName(scene, await refused(scene, null)), 'Unauthenticated')
    },
  },
  {
    id: 'SEC-AUTH-003',
    level: 'MUST',
    title: 'a token that is not known is Unauthenticated',
    async run(scene) {
      tokensOf(scene)
      assert.equal(errorName(scene, await refused(scene, 'nonsense')), 'Unauthenticated')
    },
  },
  {
    id: 'SEC-AUTH-004',
    level: 'MUST',
    title: 'a token that is not enough is PermissionDenied',
    async run(scene) {
      const { insufficient } = tokensOf(scene)
      assert.equal(errorName(scene, await refused(scene, insufficient)), 'PermissionDenied')
    },
  },
  {
    id: 'SEC-AUTH-005',
    level: 'MUST',
    title: 'who is not let in is told how to get in',
    on: ['JSONRPC', 'HTTP+JSON'],
    async run(scene) {
      tokensOf(scene)
      const { http } = await scene.open(scene.peer.binding, { token: null }).call('ListTasks', {})
      assert.equal(http?.status, 401)
      assert.match(http.headers.get('www-authenticate') ?? '', /^Bearer/i)
    },
  },
  {
    id: 'SEC-AUTH-006',
    level: 'MUST',
    title: 'the card is for everybody, and says which scheme is used',
    on: 'once',
    async run(scene) {
      tokensOf(scene)
      const { status, body } = await exchange({ method: 'GET', url: scene.subject.cardUrl, headers: {} })
      const { securitySchemes, securityRequirements } = scene.subject.card as {
        securitySchemes?: Readonly<Record<string, Scheme>>
        securityRequirements?: readonly { readonly schemes: Json }[]
      }
      assert.ok(status === 200 && body !== undefined)
      const [named] = Object.keys(securityRequirements?.[0]?.schemes ?? {})
      assert.match(securitySchemes?.[named ?? '']?.httpAuthSecurityScheme?.scheme ?? '', /^bearer$/i)
    },
  },
]

/** The extended card as a caller with this token gets it. */
async function extended(scene: Scene, token: string | null): Promise<Json | WireError> {
  needs(scene, 'extendedAgentCard')
  const { value, error } = await scene.open(scene.peer.binding, { token }).call('GetExtendedAgentCard', {})
  return error ?? value ?? {}
}

const extendedCard: readonly Check[] = [
  {
    id: 'CARD-EXT-001',
    level: 'MUST',
    title: 'the extended card is a card',
    run: async (scene) => valid('AgentCard', await extended(scene, 'itk-valid-token')),
  },
  {
    id: 'SEC-EXTCARD-001',
    level: 'MUST',
    title: 'the extended card is for those who show a valid token',
    run: async (scene) => valid('AgentCard', await extended(scene, 'itk-valid-token')),
  },
  {
    id: 'SEC-EXTCARD-002',
    level: 'MUST',
    title: 'the extended card asks for a token',
    run: async (scene) => assert.equal(errorName(scene, (await extended(scene, null)) as WireError), 'Unauthenticated'),
  },
  {
    id: 'SEC-EXTCARD-003',
    level: 'MUST',
    title: 'the extended card is not for a token that is not known',
    async run(scene) {
      assert.equal(errorName(scene, (await extended(scene, 'nonsense')) as WireError), 'Unauthenticated')
    },
  },
  {
    id: 'SEC-EXTCARD-004',
    level: 'MUST',
    title: 'the extended card is not for a token that is not enough',
    async run(scene) {
      const error = (await extended(scene, 'itk-insufficient-token')) as WireError
      assert.equal(errorName(scene, error), 'PermissionDenied')
    },
  },
]

/** What our client made of an answer that the agent gave it. */
async function understood(scene: Scene, operation: string, payload: Json): Promise<Json> {
  const parts = [{ data: { operation, wire_payload: payload } }]
  const { task } = resultOf(await say(scene, 'tck-client-parse', { parts })) as { task: SeenTask }
  assert.equal(task.status.state, 'TASK_STATE_COMPLETED')
  return task.artifacts?.[0]?.parts[0]?.data as Json
}

const status = { state: 'TASK_STATE_COMPLETED', timestamp: '2026-09-01T00:00:00.000Z' }
const task = { id: 'task', contextId: 'context', status, artifacts: [{ artifactId: 'a', parts: [{ text: 'x' }] }] }
const message = { messageId: 'm', role: 'ROLE_AGENT', parts: [{ data: { n: 1 } }] }
const envelope = (rest: Json): Json => ({ jsonrpc: '2.0', id: 'of the suite', ...rest })

/** A payload, and what our client has to report of it. */
function parsing(id: string, title: string, [operation, payload, report]: readonly [string, Json, Json]): Check {
  return {
    id,
    level: 'MUST',
    title,
    on: 'once',
    async run(scene) {
      const told = await understood(scene, operation, payload)
      for (const [name, value] of Object.entries(report)) assert.deepEqual(told[name], value)
    },
  }
}

const wholeCard = {
  name: 'read',
  description: 'To be read.',
  version: '1.0.0',
  supportedInterfaces: [{ url: 'http://agent.invalid/rpc', protocolBinding: 'JSONRPC', protocolVersion: '1.0' }],
  capabilities: { streaming: true },
  defaultInputModes: ['text/plain'],
  defaultOutputModes: ['text/plain'],
  skills: [{ id: 's', name: 'S', description: 'Does.', tags: ['t'] }],
}

const client: readonly Check[] = [
  parsing('CLIENT-PARSE-001', 'a client reads a task', ['SendMessage', envelope({ result: { task } }), { task }]),
  parsing('CLIENT-PARSE-002', 'a client reads a message', [
    'SendMessage',
    envelope({ result: { message } }),
    { message },
  ]),
  parsing('CLIENT-PARSE-003', 'a client reads the task of GetTask', ['GetTask', envelope({ result: task }), { task }]),
  parsing('CLIENT-PARSE-004', 'a client lets members pass that it does not know', [
    'GetTask',
    envelope({ result: { ...task, newMember: { a: 1 } } }),
    { task },
  ]),
  parsing('CLIENT-PARSE-005', 'a client reads an error', [
    'GetTask',
    envelope({ error: { code: -32001, message: 'Task not found' } }),
    { error: { code: -32001, message: 'Task not found' } },
  ]),
  parsing('CLIENT-PARSE-006', 'a client reads a card', ['GetAgentCard', wholeCard, wholeCard]),
  {
    id: 'CLIENT-CAP-001',
    level: 'SHOULD',
    title: 'a client does not stream where the card says that it cannot',
    on: 'once',
    async run({ subject }) {
      const capabilities = { ...(subject.card.capabilities as Json), streaming: false }
      const methods = await methodsOf(subject, { changes: { capabilities } })
      assert.ok(methods.includes('SendMessage') && !methods.includes('SendStreamingMessage'), methods.join())
    },
  },
  {
    id: 'CLIENT-AUTH-001',
    level: 'MUST',
    title: 'a client shows its token with each request',
    on: 'once',
    async run(scene) {
      const { valid: token } = tokensOf(scene)
      const shown: (string | null)[] = []
      const methods = await methodsOf(scene.subject, { shown })
      assert.ok(methods.length > 0)
      assert.deepEqual([...new Set(shown)], [`Bearer ${token}`])
    },
  },
]

/** The methods that our client calls to stream an answer from an agent with this card, or one changed a little. */
async function methodsOf(
  { card, tokens }: Subject,
  { changes, shown }: { readonly changes?: Json; readonly shown?: (string | null)[] },
): Promise<readonly string[]> {
  const methods: string[] = []
  const listed = card.supportedInterfaces as readonly Json[]
  const supportedInterfaces = listed.filter(({ protocolBinding }) => protocolBinding === 'JSONRPC').slice(0, 1)
  if (supportedInterfaces.length === 0) skip('the server has no JSON-RPC')
  const agent = await connect({ ...card, ...changes, supportedInterfaces } as never, {
    ...(tokens && { token: tokens.valid }),
    fetch: (url, init) => {
      methods.push((JSON.parse(String(init?.body)) as { method: string }).method)
      shown?.push(new Headers(init?.headers).get('authorization'))
      return fetch(url, init)
    },
  })
  for await (const _ of agent.stream('tck-complete-task'));
  return methods
}

/** Who may do what, and what our own client does: SEC and CLIENT of ACTS. */
export const security: readonly Check[] = [...auth, ...extendedCard, ...client]
