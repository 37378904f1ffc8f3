import { describe, expect, it } from 'vitest'
import { connectHttp } from '../../src/bindings/http/client.ts'
import { connectJsonRpc } from '../../src/bindings/jsonrpc/client.ts'
import type { JsonObject, Task } from '../../src/protocol/generated/v1/types.ts'
import { anybody } from '../harness.ts'
import { openRequest } from './raw-stream.ts'
import { matrix, type Served, serve } from './served.ts'
import { type BindingName, callerOf, exchange, type WireRequest, wireRequest } from './wire.ts'

/** Numbers as a caller writes them, and as they come back. */
const written =
  '{"i":1,"z":0,"neg":-7,"big":9007199254740993,"safe":9007199254740991,"snow":"1234567890123456789","f":0.1,"e":1e21,"whole":1.0,"exp":1E2,"mz":-0,"tiny":5e-324,"huge":1.7976931348623157e308,"arr":[1,2.5,null,true],"s":"1.0"}'
const answered =
  '{"i":1,"z":0,"neg":-7,"big":9007199254740992,"safe":9007199254740991,"snow":"1234567890123456789","f":0.1,"e":1e+21,"whole":1,"exp":100,"mz":0,"tiny":5e-324,"huge":1.7976931348623157e+308,"arr":[1,2.5,null,true],"s":"1.0"}'

/** A send whose JSON is written by hand. */
function request(binding: BindingName, operation: string, value = written): WireRequest {
  const message = `{"messageId":"m","role":"ROLE_USER","parts":[{"text":"echo"},{"data":${value}}],"metadata":${value}}`
  const params = `{"message":${message},"metadata":${value}}`
  const { method, path, headers } = wireRequest(binding, operation, { request: {} })
  const body = binding === 'JSONRPC' ? `{"jsonrpc":"2.0","id":7,"method":"${operation}","params":${params}}` : params
  return { method, path, headers, body }
}

const artifact = `{"artifactId":"echo","metadata":{"message":${answered},"request":${answered}},"parts":[{"data":${answered}}]}`
const message = `"parts":[{"text":"echo"},{"data":${answered}}],"metadata":${answered}`

async function checkEverywhere(served: Served, binding: BindingName, id: string): Promise<void> {
  const caller = callerOf(served, binding)
  for (const { text } of [
    await caller.call('GetTask', { id }),
    await caller.call('ListTasks', { includeArtifacts: true }),
  ]) {
    expect(text).toContain(artifact)
    expect(text).toContain(message)
  }
}

describe.each(matrix)('over $binding and $store', ({ store, binding }) => {
  it('Case 35: numbers come back as numbers, byte for byte the same in the answer, the stream and the store (PJ-11, PJ-24, EQ-02)', async () => {
    const served = await serve({ store })
    const sent = await exchange(served.url, request(binding, 'SendMessage'))
    expect(sent.text).toContain(artifact)
    expect(sent.text).toContain(message)
    await checkEverywhere(served, binding, (sent.value as { task: Task }).task.id)

    const stream = await openRequest({ url: served.url, binding }, request(binding, 'SendStreamingMessage'))
    const first = await stream.next()
    await stream.ended()
    expect(stream.text).toContain(artifact)
    const id = first?.value?.task?.id ?? ''
    await checkEverywhere(served, binding, id)

    if (store !== 'sqlite') return
    await served.close()
    const again = await serve({ store, path: served.path, sqlite: { cacheBytes: 0 } })
    await checkEverywhere(again, binding, id)
  })

  it('Case 35: our own client hands them on as they are (PJ-11)', async () => {
    const served = await serve({ store })
    const connect = binding === 'JSONRPC' ? connectJsonRpc : connectHttp
    const url = binding === 'JSONRPC' ? `${served.url}/invoke` : served.url
    const endpoint = connect({ url, protocolBinding: binding, protocolVersion: '1.0' })
    const data = JSON.parse(written) as JsonObject
    const parts = [{ text: 'echo' }, { data }] as const
    const { result } = await endpoint.unary({
      operation: 'SendMessage',
      request: { message: { messageId: 'm', role: 'ROLE_USER', parts, metadata: data }, metadata: data },
      context: anybody,
    })
    expect(JSON.stringify(result.value.task?.artifacts?.[0])).toBe(artifact)
  })

  it.each([
    ['null', 'null'],
    ['false', 'false'],
    ['0', '0'],
    ['""', '""'],
    ['[]', '[]'],
    ['{}', '{}'],
    ['[[[]],{"a":[]}]', '[[[]],{"a":[]}]'],
    ['{"":{"":0}}', '{"":{"":0}}'],
    ['{"__proto__":{"x":1},"constructor":1}', '{"__proto__":{"x":1},"constructor":1}'],
    ['{"b":1,"a":2,"b":3}', '{"b":3,"a":2}'],
    ['"\\u00e9\\u2028\\ud83d\\ude00"', '"é\u2028😀"'],
    ['"\\u0000\\u001f\\u007f"', '"\\u0000\\u001f\u007f"'],
  ])('Case 35: the value %s is a value (PJ-12, PJ-24, AMB-38)', async (value, expected) => {
    const served = await serve({ store })
    const message = `{"messageId":"m","role":"ROLE_USER","parts":[{"text":"echo"},{"data":${value}}]}`
    const { method, path, headers } = wireRequest(binding, 'SendMessage', { request: {} })
    const params = `{"message":${message}}`
    const body = binding === 'JSONRPC' ? `{"jsonrpc":"2.0","id":7,"method":"SendMessage","params":${params}}` : params
    const { text } = await exchange(served.url, { method, path, headers, body })
    expect(text).toContain(`"artifactId":"echo","metadata":{"message":{},"request":{}},"parts":[{"data":${expected}}]`)
  })

  it.each(['1e400', '-1e400', '[1,2,{"a":9e999}]'])(
    'Case 35: %s is no number that JSON could give back, so it is refused by its path (PJ-11)',
    async (value) => {
      const served = await serve({ store })
      const { error } = await exchange(served.url, request(binding, 'SendMessage', `{"n":${value}}`))
      expect(error).toMatchObject({ code: binding === 'JSONRPC' ? -32602 : 400 })
      expect(error?.fields.map((field) => field.slice(0, field.indexOf('.n')))).toEqual([
        'message.parts[1].data',
        'message.metadata',
        'metadata',
      ])
    },
  )
})
