import { describe, expect, test } from 'vitest'
import { encodeValue } from '../../encoded.ts'
import type { Call } from '../../endpoint.ts'
import type { SendMessageRequest } from '../../generated/v1/types.ts'
import { peerGrpc03, peerJsonRpc03, peerOfFiles, peerRest03 } from './peer.ts'
import { grpc03, jsonRpc03, rest03 } from './server.ts'

function rowOf(server: typeof jsonRpc03, operation: Call['operation']): NonNullable<ReturnType<typeof server.of>> {
  const row = server.of(operation)
  if (row === undefined) throw new Error(`there is no ${operation}`)
  return row
}

const send = { message: { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'hi' }] } }

describe('requests of every wire', () => {
  const wires = { jsonRpc: [jsonRpc03, peerJsonRpc03], rest: [rest03, peerRest03], grpc: [grpc03, peerGrpc03] } as const
  const push = {
    taskId: 't',
    id: 'p',
    url: 'https://hook.example',
    token: 's',
    authentication: { scheme: 'Bearer', credentials: 'c' },
  }
  const requests: readonly (readonly [Call['operation'], object])[] = [
    ['SendMessage', send],
    [
      'SendMessage',
      {
        ...send,
        metadata: { a: 1 },
        configuration: { historyLength: 3, acceptedOutputModes: ['text/plain'], returnImmediately: true },
      },
    ],
    [
      'SendMessage',
      { ...send, configuration: { taskPushNotificationConfig: { id: 'p', url: 'https://hook.example' } } },
    ],
    ['SendStreamingMessage', send],
    ['GetTask', { id: 't', historyLength: 2 }],
    ['CancelTask', { id: 't' }],
    ['SubscribeToTask', { id: 't' }],
    ['CreateTaskPushNotificationConfig', push],
    ['GetTaskPushNotificationConfig', { taskId: 't', id: 'p' }],
    ['ListTaskPushNotificationConfigs', { taskId: 't' }],
    ['DeleteTaskPushNotificationConfig', { taskId: 't', id: 'p' }],
    ['GetExtendedAgentCard', {}],
  ]
  for (const [wire, [server, peer]] of Object.entries(wires)) {
    for (const [operation, request] of requests) {
      test(`${wire}: ${operation} ${JSON.stringify(request).slice(0, 60)}`, () => {
        const written = peer.encodeRequest(rowOf(server, operation), request as Call['request'])
        const read = server.decode(rowOf(server, operation), written) as { configuration?: object }
        const { configuration = {}, ...rest } = read
        // Waiting is said aloud, and means nothing more than what is left out in 1.0.
        expect({ ...rest, ...(Object.keys(configuration).length > 0 && { configuration }) }).toEqual(request)
      })
    }
  }

  test('blocking is the opposite of returnImmediately, and who says nothing in JSON waits (AMB-01)', () => {
    const row = rowOf(jsonRpc03, 'SendMessage')
    const read = (configuration: object, server = jsonRpc03): unknown =>
      (server.decode(row, { ...send, configuration }) as { configuration?: { returnImmediately?: boolean } })
        .configuration?.returnImmediately
    expect([read({ blocking: true }), read({ blocking: false }), read({ historyLength: 1 })]).toEqual([
      undefined,
      true,
      undefined,
    ])
    expect([read({ blocking: true }, grpc03), read({ historyLength: 1 }, grpc03)]).toEqual([undefined, true])
  })

  test('0 messages of history is no limit in protobuf (HIST-02)', () => {
    expect(grpc03.decode(rowOf(grpc03, 'GetTask'), { name: 'tasks/t', historyLength: 0 })).toEqual({ id: 't' })
    expect(jsonRpc03.decode(rowOf(jsonRpc03, 'GetTask'), { id: 't', historyLength: 0 })).toEqual({
      id: 't',
      historyLength: 0,
    })
  })

  test('a push configuration is read from every form that peers send', () => {
    const row = rowOf(rest03, 'CreateTaskPushNotificationConfig')
    const pushNotificationConfig = { id: 'p', url: 'https://hook.example' }
    const inner = { name: 'tasks/t/pushNotificationConfigs/p', pushNotificationConfig: { url: 'https://hook.example' } }
    const bodies = [
      { taskId: 't', pushNotificationConfig },
      { parent: 'tasks/t', configId: 'p', config: inner },
      inner,
      { config: { pushNotificationConfig } },
      pushNotificationConfig,
    ]
    for (const body of bodies) {
      expect(rest03.decode(row, body, { path: { taskId: 't' } })).toEqual({
        taskId: 't',
        id: 'p',
        url: 'https://hook.example',
      })
    }
  })

  test('the extended card by its other name', () => {
    expect(jsonRpc03.find('agent/authenticatedExtendedCard')?.operation.name).toBe('GetExtendedAgentCard')
  })
})

describe('the bytes of a file in protobuf', () => {
  const secret = btoa('secret')
  const read = (server: typeof rest03, fileWithBytes: string): unknown => {
    const message = { messageId: 'm', role: 'ROLE_USER', content: [{ file: { fileWithBytes } }] }
    return (server.decode(rowOf(server, 'SendMessage'), { message }) as SendMessageRequest).message.parts
  }
  const write = (server: typeof rest03, raw: string): unknown => {
    const answer = { message: { messageId: 'm', role: 'ROLE_AGENT', parts: [{ raw }] } }
    return server.encode(rowOf(server, 'SendMessage'), encodeValue(answer as never)).value
  }
  const file = (fileWithBytes: string): object => ({
    message: { messageId: 'm', role: 'ROLE_AGENT', content: [{ file: { fileWithBytes } }] },
  })
  const callers = [
    ['node', true],
    ['grpc-node-js/1.14.3', true],
    ['Mozilla/5.0', true],
    ['python-httpx/0.28.1', false],
    ['grpc-python/1.76.0', false],
    ['Go-http-client/1.1', false],
    ['grpc-go/1.80.0', false],
    ['parlance grpc-node-js/1.14.7', false],
    ['curl/8.5.0', true],
    ['', true],
  ] as const
  for (const [userAgent, plain] of callers) {
    test(`D-07 are ${plain ? 'its own' : 'its base64 text'} for callers like "${userAgent}"`, () => {
      for (const server of [rest03, grpc03]) {
        const dialect = server.forCaller?.(userAgent) ?? server
        expect(write(dialect, secret)).toEqual(file(plain ? secret : btoa(secret)))
        expect(read(dialect, btoa(secret))).toEqual([{ raw: plain ? btoa(secret) : secret }])
        // What cannot be base64 text is what it is, whoever sends it.
        expect(read(dialect, 'AAEC')).toEqual([{ raw: 'AAEC' }])
      }
    })
  }

  const guesses = [
    ['a word', btoa('test'), btoa('test')],
    [
      'base64 text that is filled up',
      btoa(secret + secret.slice(0, 4) + btoa('x')),
      secret + secret.slice(0, 4) + btoa('x'),
    ],
    ['much base64 text', btoa(secret.repeat(8)), secret.repeat(8)],
    ['a sentence', btoa('this is a sentence that no one would write without a blank in it, however long'), undefined],
    ['bytes that are no text', 'AAEC', 'AAEC'],
  ] as const
  for (const [name, sent, raw] of guesses) {
    test(`D-07 from a server that may be of any kind: ${name}`, () => {
      for (const peer of [peerRest03, peerGrpc03]) {
        const warnings: string[] = []
        const { event } = peer.readFrame(file(sent), (text) => warnings.push(text))
        expect(event.message?.parts).toEqual([{ raw: raw ?? sent }])
        expect(warnings.length).toBe(raw === undefined || raw === sent ? 0 : 1)
      }
      // Who has said that it does so is believed.
      expect(peerOfFiles('rest', true).readFrame(file(btoa(secret)), () => {}).event.message?.parts).toEqual([
        { raw: secret },
      ])
    })
  }

  test('D-07 our requests have text, as most want it, unless it is known that the bytes are wanted', () => {
    const message = { messageId: 'm', role: 'ROLE_USER' as const, parts: [{ raw: secret }] }
    const sent = (filesAsText?: boolean): unknown =>
      peerOfFiles('rest', filesAsText).encodeRequest(rowOf(rest03, 'SendMessage'), { message })
    const content = (fileWithBytes: string): object => ({ message: { content: [{ file: { fileWithBytes } }] } })
    expect(sent()).toMatchObject(content(btoa(secret)))
    expect(sent(true)).toMatchObject(content(btoa(secret)))
    expect(sent(false)).toMatchObject(content(secret))
  })

  test('D-07 are its own in JSON-RPC, with a kind and without', () => {
    const given = { file: { fileWithBytes: btoa(secret) } }
    for (const part of [given, { kind: 'file', ...given }]) {
      const message = { messageId: 'm', role: 'user', parts: [part] }
      expect(jsonRpc03.decode(rowOf(jsonRpc03, 'SendMessage'), { message })).toEqual({
        message: { ...send.message, parts: [{ raw: btoa(secret) }] },
      })
    }
  })
})
