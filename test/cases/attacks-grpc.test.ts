import { Client, credentials } from '@grpc/grpc-js'
import { describe, expect, it } from 'vitest'
import { createCodec } from '../../src/bindings/grpc/codec.ts'
import { A2AError } from '../../src/protocol/errors.ts'
import { v1 } from '../../src/protocol/versions/v1.ts'
import { delay, onCleanup, until } from '../harness.ts'
import { endHeaders, frame, frameTypes, headerBlock, http2Connection, uint32 } from './http2-frames.ts'
import { serve } from './served.ts'
import { callerOf } from './wire.ts'

const reflection = '/grpc.reflection.v1.ServerReflection/ServerReflectionInfo'

describe('over gRPC', () => {
  it.each([
    ['application/grpc-web', '/lf.a2a.v1.A2AService/GetTask'],
    ['application/grpc', '/lf.a2a.v1.A2AService/GetTask'],
    ['application/grpc', '/lf.a2a.v1.A2AService/SendStreamingMessage'],
    ['application/grpc', '/nothing/at/all'],
    ['application/grpc', reflection],
    ['application/grpc', '/grpc.health.v1.Health/Watch'],
  ])('a call of %s to %s that is reset in the packet that begins it harms nobody (SEC-58)', async (type, path) => {
    const served = await serve()
    const { socket } = await http2Connection(served.url)
    onCleanup(async () => void socket.destroy())
    const headers = [
      [':method', 'POST'],
      [':path', path],
      [':scheme', 'http'],
      [':authority', 'x'],
      ['content-type', type],
      ['te', 'trailers'],
    ] as const
    const calls = Array.from({ length: 40 }, (_, index) => {
      const stream = 2 * index + 1
      const begin = frame(frameTypes.headers, { flags: endHeaders, stream, payload: headerBlock(headers) })
      return Buffer.concat([begin, frame(frameTypes.reset, { stream, payload: uint32(8) })])
    })
    socket.write(Buffer.concat(calls))
    await delay(30)
    expect(await callerOf(served, 'GRPC').ok('ListTasks', {})).toMatchObject({ totalSize: 0 })
  })

  it('questions about the schema are answered one by one, however many nobody reads the answers of (SEC-58)', async () => {
    const served = await serve()
    const client = new Client(new URL(served.url).host, credentials.createInsecure())
    onCleanup(async () => client.close())
    const asIs = (bytes: Buffer): Buffer => bytes
    const call = client.makeBidiStreamRequest(reflection, asIs, asIs)
    // file_containing_symbol: an answer of some thousand bytes.
    const name = Buffer.from('lf.a2a.v1.A2AService')
    const question = Buffer.concat([Buffer.from([0x22, name.length]), name])
    for (let count = 0; count < 500; count++) call.write(question)
    await delay(50)
    let answers = 0
    let ended = false
    call.on('data', () => {
      answers += 1
    })
    call.on('end', () => {
      ended = true
    })
    call.end()
    await until(async () => ended)
    expect(answers).toBe(500)
  })

  it('a question about the schema is short', async () => {
    const served = await serve()
    const client = new Client(new URL(served.url).host, credentials.createInsecure())
    onCleanup(async () => client.close())
    const asIs = (bytes: Buffer): Buffer => bytes
    const call = client.makeBidiStreamRequest(reflection, asIs, asIs)
    const code = await new Promise<number>((resolve) => {
      call.on('data', () => {})
      call.on('error', (error: Error & { code: number }) => resolve(error.code))
      call.write(Buffer.concat([Buffer.from([0x1a, 0x88, 0x27]), Buffer.alloc(5_000, 0x61)]))
    })
    expect(code).toBe(8)
  })

  it('a few bytes do not become millions of objects (SEC-58)', () => {
    const bytes = Buffer.alloc(2 * 100_001)
    // An empty part each.
    for (let at = 0; at < bytes.length; at += 2) bytes[at] = 0x2a
    const decode = (): unknown => createCodec(v1.grpc.schema).decode('Message', bytes)
    expect(decode).toThrow('more than 100000 elements')
    try {
      decode()
    } catch (error) {
      expect(A2AError.from(error).code).toBe('InvalidParams')
    }
  })
})
