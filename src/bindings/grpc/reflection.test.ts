import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { create, createFileRegistry, fromBinary } from '@bufbuild/protobuf'
import { BinaryReader, BinaryWriter } from '@bufbuild/protobuf/wire'
import { type FileDescriptorProto, FileDescriptorProtoSchema, FileDescriptorSetSchema } from '@bufbuild/protobuf/wkt'
import type { ServiceError } from '@grpc/grpc-js'
import { describe, expect, test } from 'vitest'
import { operations } from '../../protocol/operations.ts'
import { v1 } from '../../protocol/versions/v1.ts'
import { createFakeEndpoint } from '../testing.ts'
import { reflectionServices } from './reflection.ts'
import { type GrpcServer, startGrpc } from './testing.ts'

const [current = '', older = ''] = reflectionServices

/** Responses to requests on one stream, each as a list of fields with their numbers. */
async function reflect(
  { client }: GrpcServer,
  requests: readonly Uint8Array[],
  service: string = current,
): Promise<{ readonly answers: readonly Map<number, Uint8Array>[]; readonly error: ServiceError | undefined }> {
  const asIs = (bytes: Buffer): Buffer => bytes
  const call = client.client.makeBidiStreamRequest(`/${service}/ServerReflectionInfo`, asIs, asIs)
  const answers: Map<number, Uint8Array>[] = []
  const done = new Promise<ServiceError | undefined>((resolve) => {
    call.on('data', (bytes: Buffer) => answers.push(fieldsOf(bytes)))
    call.on('error', resolve)
    call.on('end', () => resolve(undefined))
  })
  for (const request of requests) call.write(Buffer.from(request))
  call.end()
  return { error: await done, answers }
}

function fieldsOf(message: Uint8Array): Map<number, Uint8Array> {
  const reader = new BinaryReader(message)
  const fields = new Map<number, Uint8Array>()
  while (reader.pos < reader.len) {
    const [field] = reader.tag()
    fields.set(field, reader.bytes())
  }
  return fields
}

function listOf(message: Uint8Array | undefined): Uint8Array[] {
  const reader = new BinaryReader(message as Uint8Array)
  const list: Uint8Array[] = []
  while (reader.pos < reader.len) {
    reader.tag()
    list.push(reader.bytes())
  }
  return list
}

const asking = {
  file: (name: string) => new BinaryWriter().tag(3, 2).string(name).finish(),
  symbol: (name: string) => new BinaryWriter().tag(4, 2).string(name).finish(),
  extension: (type: string, number: number) =>
    new BinaryWriter().tag(5, 2).fork().tag(1, 2).string(type).tag(2, 0).int32(number).join().finish(),
  numbers: (type: string) => new BinaryWriter().tag(6, 2).string(type).finish(),
  list: () => new BinaryWriter().tag(1, 2).string('host').tag(7, 2).string('*').finish(),
}

/** The files of a file_descriptor_response. */
function filesOf(answer: ReadonlyMap<number, Uint8Array> | undefined): FileDescriptorProto[] {
  return listOf(answer?.get(4)).map((bytes) => fromBinary(FileDescriptorProtoSchema, bytes))
}

/** Each file behind those that it imports, as registries want them. */
function registryOf(files: readonly FileDescriptorProto[]): ReturnType<typeof createFileRegistry> {
  const placed: FileDescriptorProto[] = []
  const place = (file: FileDescriptorProto): void => {
    if (placed.includes(file)) return
    for (const name of file.dependency) place(files.find((other) => other.name === name) as FileDescriptorProto)
    placed.push(file)
  }
  files.forEach(place)
  return createFileRegistry(create(FileDescriptorSetSchema, { file: placed }))
}

test('the generated descriptors are what the protos give', () => {
  const script = fileURLToPath(new URL('../../../scripts/proto/descriptor-write.mjs', import.meta.url))
  const { status, stderr } = spawnSync(process.execPath, [script, '--check'], { encoding: 'utf8' })
  expect([status, stderr]).toEqual([0, ''])
})

describe('GRPC-15 reflection', () => {
  for (const service of [current, older]) {
    test(`${service} lists all services`, async () => {
      const server = await startGrpc(createFakeEndpoint())
      const { answers, error } = await reflect(server, [asking.list()], service)
      expect(error).toBeUndefined()
      const names = listOf(answers[0]?.get(6)).map((item) => Buffer.from(listOf(item)[0] as Uint8Array).toString())
      expect(names).toEqual([...names].sort())
      expect(names).toEqual(expect.arrayContaining([v1.grpc.service, 'grpc.health.v1.Health', current, older]))
      const [host, asked] = [1, 2].map((field) => Buffer.from(answers[0]?.get(field) as Uint8Array))
      expect([host?.toString(), asked?.equals(asking.list())]).toEqual(['host', true])
    })
  }

  test('a generic client finds every method, message and number', async () => {
    const server = await startGrpc(createFakeEndpoint())
    const { answers } = await reflect(server, [asking.symbol(v1.grpc.service)])
    const registry = registryOf(filesOf(answers[0]))
    const methods = registry.getService(v1.grpc.service)?.methods ?? []
    expect(methods.map(({ name, methodKind }) => [name, methodKind === 'server_streaming'])).toEqual(
      operations.map(({ name, kind }) => [name, kind === 'stream']),
    )
    for (const [name, fields] of Object.entries(v1.grpc.schema.messages)) {
      const found = registry.getMessage(name === 'Empty' ? 'google.protobuf.Empty' : `lf.a2a.v1.${name}`)
      expect(found?.fields.map((field) => [field.name, field.jsonName, field.number, field.oneof?.name])).toEqual(
        fields.map((field) => [field.name, field.json, field.number, field.oneof]),
      )
    }
  })

  test('every service that is listed can be loaded, alone and by the older name', async () => {
    const server = await startGrpc(createFakeEndpoint())
    const listed = listOf((await reflect(server, [asking.list()])).answers[0]?.get(6))
    for (const item of listed) {
      const name = Buffer.from(listOf(item)[0] as Uint8Array).toString()
      const { answers } = await reflect(server, [asking.symbol(`.${name}`)], older)
      expect(registryOf(filesOf(answers[0])).getService(name)?.typeName).toBe(name)
    }
  })

  test('files, symbols inside of files, and types without extensions', async () => {
    const server = await startGrpc(createFakeEndpoint())
    const { answers } = await reflect(server, [
      asking.file('a2a.proto'),
      asking.symbol('lf.a2a.v1.TaskState'),
      asking.symbol('lf.a2a.v1.A2AService.GetTask'),
      asking.symbol('google.rpc.BadRequest'),
    ])
    expect(answers.map((answer) => filesOf(answer)[0]?.name)).toEqual([
      'a2a.proto',
      'a2a.proto',
      'a2a.proto',
      'google/rpc/error_details.proto',
    ])
    const { answers: numbers } = await reflect(server, [asking.numbers('.lf.a2a.v1.Task')])
    expect(Buffer.from(numbers[0]?.get(5) as Uint8Array).toString('latin1')).toBe('\n\x0elf.a2a.v1.Task')
  })

  test('what is not there is an error in the stream, which goes on', async () => {
    const server = await startGrpc(createFakeEndpoint())
    const { answers, error } = await reflect(server, [
      asking.file('x.proto'),
      asking.symbol('x.Y'),
      asking.extension('lf.a2a.v1.Task', 1),
      asking.numbers('x.Y'),
      new Uint8Array(),
      asking.list(),
    ])
    expect(error).toBeUndefined()
    const texts = answers.slice(0, 5).map((answer) => Buffer.from(answer.get(7) as Uint8Array).toString('latin1'))
    expect(texts.map((text) => [text.charCodeAt(1), text.slice(4)])).toEqual([
      [5, 'There is no file x.proto here'],
      [5, 'There is no symbol x.Y here'],
      [5, 'There is no extension 1 of lf.a2a.v1.Task here'],
      [5, 'There is no type x.Y here'],
      [3, 'The request asks for nothing that is known here'],
    ])
    expect(answers[5]?.has(6)).toBe(true)
  })

  test('bytes that are no request end the stream', async () => {
    const server = await startGrpc(createFakeEndpoint())
    const { error } = await reflect(server, [asking.list(), Buffer.from('22ff', 'hex')])
    expect([error?.code, error?.details]).toEqual([3, expect.stringMatching(/ServerReflectionRequest/)])
  })
})
