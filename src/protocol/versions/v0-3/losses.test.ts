import { describe, expect, test } from 'vitest'
import { encodeValue } from '../../encoded.ts'
import type { Call } from '../../endpoint.ts'
import type { AgentCard } from '../../generated/v1/types.ts'
import type { Dialect, Note, PeerDialect, WireOperation } from '../dialect.ts'
import { fromCard03, toCard03 } from './card.ts'
import { peerGateway } from './gateway.ts'
import { losses } from './losses.ts'
import { peerGrpc03, peerJsonRpc03, peerRest03 } from './peer.ts'
import { grpc03, jsonRpc03, rest03 } from './server.ts'

function rowOf(operation: Call['operation'], words: Pick<Dialect, 'of'> = jsonRpc03): WireOperation {
  return words.of(operation) as WireOperation
}

type Lossy = (note: Note) => unknown

const part = { text: 'x' }
const message = { messageId: 'm', role: 'ROLE_USER', parts: [part] }

function sent(peer: PeerDialect, operation: Call['operation'], request: object): Lossy {
  return (note) => peer.encodeRequest(rowOf(operation), request as Call['request'], note)
}

function answered(server: Dialect, operation: Call['operation'], answer: object): Lossy {
  return (note) => server.encode(rowOf(operation, server), encodeValue(answer as never), note)
}

function decoded(server: Dialect, operation: Call['operation'], request: object): Lossy {
  return (note) => server.decode(rowOf(operation, server), request, { note })
}

function inMessage(changed: object): Lossy[] {
  const request = { message: { ...message, ...changed } }
  const task = { id: 't', contextId: 'c', status: { state: 'TASK_STATE_WORKING' }, history: [request.message] }
  return [
    sent(peerGrpc03, 'SendMessage', request),
    sent(peerRest03, 'SendStreamingMessage', request),
    answered(rest03, 'GetTask', task),
    answered(grpc03, 'CancelTask', task),
  ]
}

function inPart(changed: object): Lossy[] {
  const request = { message: { ...message, parts: [changed] } }
  return [
    ...inMessage({ parts: [changed] }),
    sent(peerJsonRpc03, 'SendMessage', request),
    sent(peerGateway, 'SendMessage', request),
    answered(jsonRpc03, 'SendMessage', request),
  ]
}

function inCard(changed: object): Lossy[] {
  const interfaces = [{ url: 'https://a.example', protocolBinding: 'JSONRPC', protocolVersion: '0.3' }]
  const plain = { name: 'A', description: 'd', version: '1', capabilities: {}, supportedInterfaces: interfaces }
  const card = { ...plain, defaultInputModes: ['a/b'], defaultOutputModes: ['a/b'], skills: [], ...changed }
  return [
    (note) => toCard03(card as unknown as AgentCard, 'json', note),
    answered(jsonRpc03, 'GetExtendedAgentCard', card),
    answered(rest03, 'GetExtendedAgentCard', card),
  ]
}

function oauth2(flows: object): object {
  return { securitySchemes: { s: { oauth2SecurityScheme: { flows } } } }
}

/** What the reader of cards tells in words, by the member that it names. */
function warned(id: string, changed: object): Lossy {
  const card = { protocolVersion: '0.3.0', name: 'A', description: 'd', url: 'https://a.example', version: '1' }
  const rest = { defaultInputModes: [], defaultOutputModes: [], skills: [], capabilities: {} }
  return (note) => {
    const texts: string[] = []
    fromCard03({ ...card, ...rest, ...changed }, (text) => texts.push(text))
    if (texts.some((text) => text.startsWith(Object.keys(changed)[0] as string))) note(id)
  }
}

const pushed = (authentication: object): object => ({
  taskId: 't',
  pushNotificationConfig: { url: 'https://hook.example', authentication },
})
const noHistory = { message, configuration: { historyLength: 0 } }

/** For each row the conversions that it happens in. */
const cases: Readonly<Record<string, readonly Lossy[]>> = {
  tenant: [peerJsonRpc03, peerRest03, peerGrpc03, peerGateway].map((peer) =>
    sent(peer, 'GetTask', { id: 't', tenant: 'x' }),
  ),
  'history-none': [
    sent(peerGrpc03, 'GetTask', { id: 't', historyLength: 0 }),
    sent(peerRest03, 'GetTask', { id: 't', historyLength: 0 }),
    sent(peerGrpc03, 'SendMessage', noHistory),
  ],
  'cancel-metadata': [peerGrpc03, peerRest03].map((peer) => sent(peer, 'CancelTask', { id: 't', metadata: { a: 1 } })),
  'part-media-type': [...inPart({ text: 'x', mediaType: 'text/x' }), ...inPart({ data: {}, mediaType: 'text/x' })],
  'part-filename': [...inPart({ text: 'x', filename: 'x' }), ...inPart({ data: {}, filename: 'x' })],
  'part-data': [...inPart({ data: [1] }), ...inPart({ data: null }), ...inPart({ data: 'x' })],
  'reference-tasks': inMessage({ referenceTaskIds: ['r'] }),
  'list-page': [answered(rest03, 'ListTasks', { tasks: [], nextPageToken: 'n', pageSize: 1, totalSize: 3 })],
  'list-filter': [
    sent(peerGateway, 'ListTasks', { historyLength: 1 }),
    sent(peerGateway, 'ListTasks', { includeArtifacts: true }),
    sent(peerGateway, 'ListTasks', { statusTimestampAfter: '2026-01-01T00:00:00.000Z' }),
  ],
  'push-page': [
    answered(jsonRpc03, 'ListTaskPushNotificationConfigs', { configs: [], nextPageToken: 'n' }),
    sent(peerJsonRpc03, 'ListTaskPushNotificationConfigs', { taskId: 't', pageSize: 3 }),
    sent(peerJsonRpc03, 'ListTaskPushNotificationConfigs', { taskId: 't', pageToken: 'n' }),
  ],
  'get-metadata': (['GetTask', 'SubscribeToTask', 'ListTaskPushNotificationConfigs'] as const).map((operation) =>
    decoded(jsonRpc03, operation, { id: 't', metadata: {} }),
  ),
  'push-schemes': [decoded(jsonRpc03, 'CreateTaskPushNotificationConfig', pushed({ schemes: ['Bearer', 'Basic'] }))],
  'card-signatures': inCard({ signatures: [{ protected: 'e30', signature: 'AA' }] }),
  'card-tenant': inCard({
    supportedInterfaces: [
      { url: 'https://a.example', protocolBinding: 'JSONRPC', protocolVersion: '0.3', tenant: 'x' },
    ],
  }),
  'card-device-code': inCard(
    oauth2({ deviceCode: { deviceAuthorizationUrl: 'https://a', tokenUrl: 'https://a', scopes: {} } }),
  ),
  'card-pkce': inCard(
    oauth2({
      authorizationCode: { authorizationUrl: 'https://a', tokenUrl: 'https://a', scopes: {}, pkceRequired: true },
    }),
  ),
  'card-old-signatures': [warned('card-old-signatures', { signatures: [{ protected: 'e30', signature: 'AA' }] })],
  'card-state-history': [warned('card-state-history', { capabilities: { stateTransitionHistory: true } })],
}

describe('every row of the table of losses is noted where it happens, and nothing else is', () => {
  for (const { id } of losses) {
    test(id, () => {
      const noted = (cases[id] ?? []).map((lossy) => {
        const ids = new Set<string>()
        lossy((loss) => void ids.add(loss))
        return [...ids]
      })
      expect(noted.length).toBeGreaterThan(0)
      expect(noted).toEqual(noted.map(() => [id]))
    })
  }

  test('no case is left over', () => {
    expect(Object.keys(cases).sort()).toEqual(losses.map(({ id }) => id).sort())
  })

  test('what both versions have is not noted', () => {
    const whole = { ...message, contextId: 'c', taskId: 't', metadata: { a: 1 }, extensions: ['urn:x'] }
    const fits = [
      ...inMessage({ ...whole, parts: [{ raw: 'aGk=', filename: 'a', mediaType: 'a/b' }, { data: { a: [null] } }] }),
      sent(peerJsonRpc03, 'SendMessage', {
        message: { ...whole, referenceTaskIds: ['r'] },
        configuration: { historyLength: 0 },
      }),
      sent(peerJsonRpc03, 'CancelTask', { id: 't', metadata: { a: 1 } }),
      sent(peerGateway, 'ListTasks', { contextId: 'c', status: 'TASK_STATE_CANCELED', pageSize: 2, pageToken: '4' }),
      decoded(jsonRpc03, 'CancelTask', { id: 't', metadata: { a: 1 } }),
      decoded(jsonRpc03, 'CreateTaskPushNotificationConfig', pushed({ schemes: ['Bearer'] })),
      decoded(grpc03, 'ListTaskPushNotificationConfigs', { parent: 'tasks/t', pageSize: 3, pageToken: 'n' }),
      answered(rest03, 'ListTaskPushNotificationConfigs', { configs: [], nextPageToken: 'n' }),
      answered(rest03, 'ListTasks', { tasks: [], nextPageToken: '', pageSize: 50, totalSize: 0 }),
      ...inCard({}),
    ]
    const noted: string[] = []
    for (const lossy of fits) lossy((loss) => noted.push(loss))
    expect(noted).toEqual([])
  })
})
