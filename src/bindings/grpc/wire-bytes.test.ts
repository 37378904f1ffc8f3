import { gunzipSync, gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { A2AError } from '../../protocol/errors.ts'
import { eventually } from '../../server/testing.ts'
import { createFakeEndpoint } from '../testing.ts'
import { frameOf } from './frame.ts'
import { decodeGrpcMessage, decodeStatusDetails } from './status.ts'
import { callRaw, type RawAnswer, type RawCall, readAnswer, requestFrame, startGrpc } from './testing.ts'

const getTask = requestFrame('GetTask', { id: 't' })
const head = {
  ':method': 'POST',
  ':path': '/lf.a2a.v1.A2AService/GetTask',
  'content-type': 'application/grpc',
  te: 'trailers',
  'a2a-version': '1.0',
}

async function ask(call: RawCall, endpoint = createFakeEndpoint()): Promise<RawAnswer> {
  const { connect } = await startGrpc(endpoint)
  return await callRaw(connect(), { chunks: [getTask], ...call })
}

/** Status and text of an error that came in trailers alone. */
function refusal({ head, body, trailers }: RawAnswer): unknown {
  expect([head[':status'], body.length, trailers]).toEqual([200, 0, undefined])
  return [Number(head['grpc-status']), decodeGrpcMessage(String(head['grpc-message']))]
}

describe('answers, byte by byte', () => {
  test('GRPC-03 a unary call', async () => {
    expect(getTask.toString('hex')).toBe('0000000003120174')
    const { head, body, trailers, code } = await ask({})
    expect(head).toEqual({
      ':status': 200,
      'content-type': 'application/grpc',
      'grpc-accept-encoding': 'identity,gzip',
    })
    expect(body.toString('hex')).toBe('00000000070a01741a020803')
    expect([trailers, code]).toEqual([{ 'grpc-status': '0' }, 0])
  })

  test('GRPC-08 GRPC-12 a stream', async () => {
    const { head, body, trailers } = await ask({ path: '/lf.a2a.v1.A2AService/SubscribeToTask' })
    expect(head[':status']).toBe(200)
    expect(body.toString('hex')).toBe('000000000c1a0a0a01741201631a020802000000000c1a0a0a01741201631a020803')
    expect(trailers).toEqual({ 'grpc-status': '0' })
  })

  test('GRPC-06 GRPC-07 an error', async () => {
    const endpoint = createFakeEndpoint()
    endpoint.error = new A2AError('TaskNotFound', 'Keine Aufgabe „ä“ 100%\n', { metadata: { taskId: 'ä' } })
    const { head, body, trailers, code } = await ask({}, endpoint)
    expect(head).toEqual({
      ':status': 200,
      'content-type': 'application/grpc',
      'grpc-accept-encoding': 'identity,gzip',
      'grpc-status': '5',
      'grpc-message': 'Keine Aufgabe %E2%80%9E%C3%A4%E2%80%9C 100%25%0A',
      'grpc-status-details-bin':
        'CAUSHEtlaW5lIEF1ZmdhYmUg4oCew6TigJwgMTAwJQoaXAoodHlwZS5nb29nbGVhcGlzLmNvbS9nb29nbGUucnBjLkVycm9ySW5mbxIwCg5UQVNLX05PVF9GT1VORBIQYTJhLXByb3RvY29sLm9yZxoMCgZ0YXNrSWQSAsOk',
    })
    expect([body.length, trailers, code]).toEqual([0, undefined, 0])
  })

  test('GRPC-12 an error after the first frame comes in trailers', async () => {
    const endpoint = createFakeEndpoint()
    endpoint.frames = async function* () {
      yield [{ text: '{}', value: { task: { id: 't' } } as never }]
      throw new A2AError('Unavailable', 'Gone', { retryAfter: 2 })
    }
    const { head, body, trailers } = await ask({ path: '/lf.a2a.v1.A2AService/SubscribeToTask' }, endpoint)
    expect([head['grpc-status'], body.toString('hex')]).toEqual([undefined, '00000000050a030a0174'])
    expect(trailers).toMatchObject({
      'grpc-status': '14',
      'grpc-message': 'Gone',
      'retry-after': '2',
      'grpc-retry-pushback-ms': '2000',
    })
  })

  test('long texts and many violations are cut to what clients take', async () => {
    const endpoint = createFakeEndpoint()
    const violations = Array.from({ length: 1_000 }, (_, at) => ({ field: `f[${at}]`, description: 'is wrong' }))
    endpoint.error = new A2AError('InvalidParams', '漢'.repeat(5_000), { violations })
    const { head } = await ask({}, endpoint)
    const sizes = ['grpc-message', 'grpc-status-details-bin'].map((name) => String(head[name]).length)
    expect(sizes.every((size) => size > 1_000 && size < 4_200)).toBe(true)
    expect(decodeGrpcMessage(String(head['grpc-message']))).toMatch(/^漢+…$/)
    const { details } = decodeStatusDetails(Buffer.from(String(head['grpc-status-details-bin']), 'base64'))
    const told = (details[0]?.fieldViolations ?? []) as readonly { readonly field: string }[]
    expect([details.length, told.length > 20, told[1]?.field]).toEqual([1, true, 'f[1]'])
  })
})

describe('requests, byte by byte', () => {
  test('a message may come in pieces of any size', async () => {
    const chunks = [...getTask].map((byte) => Buffer.of(byte))
    const answer = await ask({ chunks })
    expect(readAnswer('GetTask', answer.body)).toMatchObject({ id: 't' })
  })

  const broken: readonly (readonly [string, readonly Uint8Array[], number, RegExp])[] = [
    ['none at all', [], 12, /takes one message, but none/],
    ['two messages', [getTask, getTask], 12, /takes one message, but more/],
    ['two messages in one chunk', [Buffer.concat([getTask, getTask])], 12, /takes one message, but more/],
    ['half a message', [getTask.subarray(0, 6)], 3, /ends in the middle/],
    ['half a prefix', [getTask.subarray(0, 3)], 3, /ends in the middle/],
    ['a strange flag', [Buffer.from('ff00000000', 'hex')], 3, /flag 255/],
    ['a message that says it is compressed', [frameOf(gzipSync('x'), true)], 13, /does not say how/],
    ['bytes that are no message', [frameOf(Buffer.from('ffffffff', 'hex'))], 3, /protobuf/],
    ['a message cut inside', [frameOf(Buffer.from('1205', 'hex'))], 3, /protobuf/],
    ['too much', [frameOf(Buffer.alloc(1_001))], 8, /larger than 1000 bytes/],
  ]
  for (const [name, chunks, status, text] of broken) {
    test(`GRPC-03 ERR-19 ${name}`, async () => {
      const endpoint = createFakeEndpoint()
      const answer = await ask({ chunks }, endpoint)
      expect(refusal(answer)).toEqual([status, expect.stringMatching(text)])
      expect([answer.code, endpoint.calls]).toEqual([0, []])
    })
  }

  test('a length beyond the limit is refused before its bytes are sent', async () => {
    const { connect } = await startGrpc(createFakeEndpoint())
    const stream = connect().request(head, { endStream: false })
    stream.write(Buffer.from('00ffffffff', 'hex'))
    const answer = await new Promise<Record<string, unknown>>((resolve) => stream.once('response', resolve as never))
    expect(answer['grpc-status']).toBe('8')
    await new Promise((resolve) => stream.once('close', resolve))
    expect(stream.rstCode).toBe(0)
  })

  test('a request that does not come to its end in time', async () => {
    const { connect } = await startGrpc(createFakeEndpoint(), { limits: { request: 60 } })
    const stream = connect().request(head)
    stream.write(getTask.subarray(0, 4))
    const answer = await new Promise<Record<string, unknown>>((resolve) => stream.once('response', resolve as never))
    expect([answer['grpc-status'], answer['grpc-message']]).toEqual(['4', 'The request did not arrive in time'])
    stream.close()
  })

  for (const type of [
    'application/grpc-web',
    'application/grpc+json',
    'application/grpcx',
    'application/grpc-web+proto',
  ]) {
    test(`content type ${type} is HTTP 415`, async () => {
      const { head, body } = await ask({ headers: { 'content-type': type } })
      expect([head[':status'], head['accept-post'], body.length]).toEqual([
        415,
        'application/grpc, application/grpc+proto',
        0,
      ])
    })
  }

  for (const type of ['application/grpc+proto', 'application/grpc;charset=utf-8', 'APPLICATION/GRPC'.toLowerCase()]) {
    test(`content type ${type} is read`, async () => {
      expect((await ask({ headers: { 'content-type': type } })).trailers).toEqual({ 'grpc-status': '0' })
    })
  }

  const heads: readonly (readonly [string, RawCall, number, RegExp])[] = [
    ['te is missing', { headers: { te: undefined } }, 3, /te: trailers/],
    ['the method is GET', { headers: { ':method': 'GET' }, chunks: [] }, 12, /GET is not allowed/],
    ['the service is unknown', { path: '/a.b.C/GetTask' }, 12, /no service "a\.b\.C" here; there are lf\.a2a\.v1/],
    ['the method is unknown', { path: '/lf.a2a.v1.A2AService/getTask' }, 12, /has no method "getTask"/],
    ['the path is odd', { path: '/' }, 12, /no service ""/],
    ['the deadline is odd', { headers: { 'grpc-timeout': 'soon' } }, 3, /grpc-timeout must be/],
    ['the encoding is unknown', { headers: { 'grpc-encoding': 'snappy' } }, 12, /"snappy" is not read here; use gzip/],
  ]
  for (const [name, call, status, text] of heads) {
    test(`GRPC-01 ${name}`, async () => {
      const answer = await ask(call)
      expect(refusal(answer)).toEqual([status, expect.stringMatching(text)])
      expect([answer.head['grpc-accept-encoding'], answer.code]).toEqual(['identity,gzip', 0])
    })
  }

  test('GRPC-05 repeated entries are joined', async () => {
    const endpoint = createFakeEndpoint()
    await ask({ headers: { 'a2a-extensions': ['urn:a', 'urn:b,urn:c'] as never } }, endpoint)
    expect(endpoint.calls[0]?.context.extensions).toEqual(['urn:a', 'urn:b', 'urn:c'])
  })
})

describe('deadlines', () => {
  test('GRPC-13 the server ends the wait, and tells the endpoint', async () => {
    const endpoint = createFakeEndpoint()
    let signal: AbortSignal | undefined
    endpoint.unary = (call) => {
      signal = call.context.signal
      return new Promise(() => {})
    }
    const answer = await ask({ headers: { 'grpc-timeout': '30m' } }, endpoint)
    expect(refusal(answer)).toEqual([4, expect.stringMatching(/no answer within 30 ms/)])
    expect([signal?.aborted, A2AError.from(signal?.reason).code]).toEqual([true, 'DeadlineExceeded'])
  })

  test('GRPC-13 a stream ends with DEADLINE_EXCEEDED and leaves its source', async () => {
    const endpoint = createFakeEndpoint()
    let left = false
    endpoint.frames = () => ({
      [Symbol.asyncIterator]: () => {
        let first = true
        return {
          next: async () => {
            if (!first) return await new Promise<never>(() => {})
            first = false
            return { done: false, value: [{ text: '{}', value: { task: { id: 't' } } as never }] }
          },
          return: async () => {
            left = true
            return { done: true, value: undefined }
          },
        }
      },
    })
    const call = { path: '/lf.a2a.v1.A2AService/SubscribeToTask', headers: { 'grpc-timeout': '40000u' } }
    const { body, trailers } = await ask(call, endpoint)
    expect([body.toString('hex'), trailers?.['grpc-status'], left]).toEqual(['00000000050a030a0174', '4', true])
  })

  const timers = (): number => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length

  test('GRPC-13 a deadline that is not reached leaves no timer', async () => {
    const before = timers()
    for (let call = 0; call < 20; call++) {
      const { trailers } = await ask({ headers: { 'grpc-timeout': '10H' } })
      expect(trailers).toEqual({ 'grpc-status': '0' })
    }
    await eventually(() => timers() <= before + 15)
  })

  test('calls that are reset leave neither timers nor waiting endpoints', async () => {
    const endpoint = createFakeEndpoint()
    let waiting = 0
    endpoint.unary = ({ context }) => {
      waiting += 1
      return new Promise((_resolve, reject) => {
        context.signal?.addEventListener('abort', () => {
          waiting -= 1
          reject(context.signal?.reason)
        })
      })
    }
    const { connect } = await startGrpc(endpoint)
    const session = connect()
    await new Promise((resolve) => session.once('connect', resolve))
    const before = timers()
    const streams = Array.from({ length: 100 }, (_, at) => {
      const stream = session.request({ ...head, 'grpc-timeout': '10H' })
      stream.on('error', () => {})
      if (at % 2 === 0) stream.end(getTask)
      else stream.write(getTask.subarray(0, at % 8))
      return stream
    })
    // A few timers of others may come and go meanwhile; 150 are of these calls.
    await eventually(() => waiting === 50 && timers() >= before + 140)
    const most = timers()
    for (const stream of streams) stream.close(8)
    await eventually(() => waiting === 0 && timers() <= most - 140)
  })
})

describe('compression', () => {
  const gzip = { 'grpc-encoding': 'gzip' }
  const long = { id: 't', status: { state: 'TASK_STATE_COMPLETED' }, contextId: 'x'.repeat(20_000) }

  test('a compressed request is read; short answers come as they are', async () => {
    const chunks = [frameOf(gzipSync(getTask.subarray(5)), true)]
    const answer = await ask({ headers: { ...gzip, 'grpc-accept-encoding': 'gzip' }, chunks })
    expect([answer.head['grpc-encoding'], answer.body[0]]).toEqual([undefined, 0])
    expect(readAnswer('GetTask', answer.body)).toMatchObject({ id: 't' })
  })

  test('with grpc-encoding gzip a message may still be plain', async () => {
    expect((await ask({ headers: gzip })).trailers).toEqual({ 'grpc-status': '0' })
  })

  for (const headers of [{ ...gzip, 'grpc-accept-encoding': 'identity,gzip' }, { 'grpc-accept-encoding': 'gzip' }]) {
    test(`long answers are compressed for ${JSON.stringify(headers)}`, async () => {
      const endpoint = createFakeEndpoint()
      endpoint.result = long
      const { head, body, trailers } = await ask({ headers }, endpoint)
      expect([head['grpc-encoding'], body[0], body.length < 1_000]).toEqual(['gzip', 1, true])
      const message = gunzipSync(body.subarray(5))
      expect(readAnswer('GetTask', frameOf(message))).toEqual(long)
      expect(trailers).toEqual({ 'grpc-status': '0' })
    })
  }

  test('frames of a stream are compressed one by one, in order', async () => {
    const endpoint = createFakeEndpoint()
    const task = (at: number) => ({
      text: '',
      value: { task: { id: `${at}`, contextId: 'y'.repeat(20_000) } } as never,
    })
    endpoint.frames = async function* () {
      yield [task(1), { text: '', value: { task: { id: '2' } } as never }, task(3)]
      yield [task(4)]
    }
    const headers = { 'grpc-accept-encoding': 'gzip' }
    const { head, body } = await ask({ path: '/lf.a2a.v1.A2AService/SubscribeToTask', headers }, endpoint)
    expect([head['grpc-encoding'], body.length < 1_000]).toEqual(['gzip', true])
    const { client } = await startGrpc(endpoint)
    const { values } = await client.ask('SubscribeToTask', { id: 't' })
    expect(values.map(({ task }) => (task as { id: string }).id)).toEqual(['1', '2', '3', '4'])
  })

  test('callers who cannot read gzip get plain messages', async () => {
    const endpoint = createFakeEndpoint()
    endpoint.result = long
    const { head, body } = await ask({ headers: { ...gzip, 'grpc-accept-encoding': 'identity' } }, endpoint)
    expect([head['grpc-encoding'], body[0]]).toEqual([undefined, 0])
  })

  test('what becomes too much, or is broken', async () => {
    const bomb = frameOf(gzipSync(Buffer.alloc(900_000)), true)
    expect(bomb.length).toBeLessThan(1_005)
    expect(refusal(await ask({ headers: gzip, chunks: [bomb] }))).toEqual([8, expect.stringMatching(/1000 bytes/)])
    const noise = frameOf(Buffer.from('no gzip at all'), true)
    expect(refusal(await ask({ headers: gzip, chunks: [noise] }))).toEqual([3, expect.stringMatching(/by gzip, but/)])
  })
})
