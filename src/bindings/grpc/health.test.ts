import { status } from '@grpc/grpc-js'
import { expect, test } from 'vitest'
import { eventually } from '../../server/testing.ts'
import { createFakeEndpoint } from '../testing.ts'
import { startGrpc } from './testing.ts'

const check = '/grpc.health.v1.Health/Check'
const watch = '/grpc.health.v1.Health/Watch'
const serving = '0801'
const notServing = '0802'

function asking(service: string): Buffer {
  return service === '' ? Buffer.alloc(0) : Buffer.concat([Buffer.of(0x0a, service.length), Buffer.from(service)])
}

test('GRPC-15 Check knows the server and each of its services', async () => {
  const { client, options } = await startGrpc(createFakeEndpoint())
  const services = ['', 'lf.a2a.v1.A2AService', 'grpc.health.v1.Health']
  const answers = async (): Promise<string[]> => {
    const outcomes = await Promise.all(services.map((service) => client.raw(check, asking(service))))
    return outcomes.map(({ messages }) => messages[0]?.toString('hex') ?? '')
  }
  expect(await answers()).toEqual([serving, serving, serving])
  const unknown = await client.raw(check, asking('a.b.C'))
  expect([unknown.error?.code, unknown.error?.details]).toEqual([status.NOT_FOUND, 'There is no service "a.b.C" here'])
  options.streams.drain()
  expect(await answers()).toEqual([notServing, notServing, notServing])
})

test('GRPC-15 Check needs no credentials, and refuses what is no message', async () => {
  const identify = (): string => {
    throw new Error('nobody is let in')
  }
  const { client } = await startGrpc(createFakeEndpoint(), { identify })
  expect((await client.raw(check, asking(''))).error).toBeUndefined()
  expect((await client.raw(check, Buffer.from('0aff', 'hex'))).error?.code).toBe(status.INVALID_ARGUMENT)
})

test('GRPC-15 Watch tells each change, and ends with the server', async () => {
  const { client, options } = await startGrpc(createFakeEndpoint())
  const seen: string[] = []
  const known = client.raw(watch, asking('lf.a2a.v1.A2AService'), {
    onMessage: (bytes) => seen.push(bytes.toString('hex')),
  })
  const unknown = client.raw(watch, asking('a.b.C'))
  await eventually(() => seen.length === 1 && options.streams.size === 2)
  options.streams.drain()
  await eventually(() => seen.length === 2)
  options.streams.end()
  expect([(await known).error?.code, seen]).toEqual([status.UNAVAILABLE, [serving, notServing]])
  expect((await unknown).messages.map((bytes) => bytes.toString('hex'))).toEqual(['0803'])
  expect(options.streams.size).toBe(0)
})

test('GRPC-15 a watcher who leaves is forgotten', async () => {
  const { client, options } = await startGrpc(createFakeEndpoint())
  const outcome = await client.raw(watch, asking(''), { onMessage: (_bytes, cancel) => cancel() })
  expect(outcome.error?.code).toBe(status.CANCELLED)
  await eventually(() => options.streams.size === 0)
})
