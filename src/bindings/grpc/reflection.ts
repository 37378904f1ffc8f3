import { BinaryReader, BinaryWriter } from '@bufbuild/protobuf/wire'
import { A2AError, grpcCodes } from '../../protocol/errors.ts'
import { answerHeaders, type GrpcCall, type GrpcMethod } from './call.ts'
import type { DescribedFile } from './described-file.ts'
import { frameOf } from './frame.ts'
import { healthService } from './health.ts'

/** The services that tell what a server offers; the older one is what many tools still ask first. */
export const reflectionServices: readonly string[] = [
  'grpc.reflection.v1.ServerReflection',
  'grpc.reflection.v1alpha.ServerReflection',
]

/** Adds reflection of the services that are named here, of itself and of health checks. */
export function addReflection(methods: Map<string, GrpcMethod>, services: readonly string[]): void {
  const listed = [...services, healthService, ...reflectionServices].sort()
  for (const service of reflectionServices) {
    methods.set(`/${service}/ServerReflectionInfo`, (call) => {
      loadIndex().then(
        (index) => converse(call, { index, listed }),
        (error) => call.fail(A2AError.from(error)),
      )
    })
  }
}

interface Knowledge {
  readonly index: Index
  readonly listed: readonly string[]
}

/** Answers each request of the stream by one response. */
function converse(call: GrpcCall, { index, listed }: Knowledge): void {
  call.beginStream(answerHeaders)
  call.readEach(longestQuestion, {
    onMessage: async (message) => {
      const answer = respond(message, { index, listed })
      if (!call.isOver) call.stream.write(frameOf(answer))
      await call.drained()
    },
    onEnd: () => call.endStream(),
  })
}

/** Bytes of one request, which is said again in its answer; names are short. */
const longestQuestion = 4_096

/** Files by their names, and by what they declare. None extends anything. */
interface Index {
  readonly byName: ReadonlyMap<string, DescribedFile>
  readonly bySymbol: ReadonlyMap<string, DescribedFile>
}

let loading: Promise<Index> | undefined

/** The descriptors are read once somebody asks for them. */
function loadIndex(): Promise<Index> {
  loading ??= import('./generated/descriptors.ts').then(({ files }) => createIndex(files))
  return loading
}

function createIndex(files: readonly DescribedFile[]): Index {
  return {
    byName: new Map(files.map((file) => [file.name, file])),
    bySymbol: new Map(files.flatMap((file) => file.symbols.map((symbol) => [symbol, file] as const))),
  }
}

/** Fields of a ServerReflectionRequest. */
const ask = { byName: 3, bySymbol: 4, byExtension: 5, extensionNumbers: 6, list: 7 } as const
/** Fields of a ServerReflectionResponse. */
const tell = { files: 4, extensionNumbers: 5, list: 6, error: 7 } as const
const text = 2

function respond(message: Uint8Array, { index, listed }: Knowledge): Uint8Array {
  const { host, asked } = readRequest(message)
  const writer = new BinaryWriter().tag(1, text).string(host).tag(2, text).bytes(message)
  switch (asked?.field) {
    case ask.byName:
      return writeFiles(writer, index, { file: index.byName.get(asked.name), asked: `file ${asked.name}` })
    case ask.bySymbol:
      return writeFiles(writer, index, { file: index.bySymbol.get(asked.name), asked: `symbol ${asked.name}` })
    case ask.byExtension:
      return writeError(writer, grpcCodes.NOT_FOUND, `There is no extension ${asked.number} of ${asked.name} here`)
    case ask.extensionNumbers:
      if (!index.bySymbol.has(asked.name)) {
        return writeError(writer, grpcCodes.NOT_FOUND, `There is no type ${asked.name} here`)
      }
      return writer.tag(tell.extensionNumbers, text).fork().tag(1, text).string(asked.name).join().finish()
    case ask.list:
      writer.tag(tell.list, text).fork()
      for (const name of listed) writer.tag(1, text).fork().tag(1, text).string(name).join()
      return writer.join().finish()
    default:
      return writeError(writer, grpcCodes.INVALID_ARGUMENT, 'The request asks for nothing that is known here')
  }
}

interface Asked {
  readonly field: number
  readonly name: string
  readonly number: number
}

function readRequest(message: Uint8Array): { readonly host: string; readonly asked: Asked | undefined } {
  try {
    const reader = new BinaryReader(message)
    let host = ''
    let asked: Asked | undefined
    while (reader.pos < reader.len) {
      const [field, type] = reader.tag()
      if (field === 1) host = reader.string()
      else if (field === ask.byExtension) asked = { field, ...readExtension(reader) }
      else if (field >= ask.byName && field <= ask.list) asked = { field, name: reader.string(), number: 0 }
      else reader.skip(type, field)
    }
    return { host, asked: asked && { ...asked, name: asked.name.replace(/^\./, '') } }
  } catch (cause) {
    const problem = 'The message is not a valid ServerReflectionRequest of protocol buffers'
    throw new A2AError('ParseError', problem, { cause })
  }
}

function readExtension(reader: BinaryReader): Omit<Asked, 'field'> {
  const end = reader.uint32() + reader.pos
  const found = { name: '', number: 0 }
  while (reader.pos < end) {
    const [field, type] = reader.tag()
    if (field === 1) found.name = reader.string()
    else if (field === 2) found.number = reader.int32()
    else reader.skip(type, field)
  }
  return found
}

/** Writes a file and all that it imports, which spares the caller the questions. */
function writeFiles(
  writer: BinaryWriter,
  { byName }: Index,
  { file, asked }: { readonly file: DescribedFile | undefined; readonly asked: string },
): Uint8Array {
  if (file === undefined) return writeError(writer, grpcCodes.NOT_FOUND, `There is no ${asked} here`)
  const all = new Set([file])
  for (const { imports } of all) {
    for (const name of imports) {
      const found = byName.get(name)
      if (found !== undefined) all.add(found)
    }
  }
  writer.tag(tell.files, text).fork()
  for (const { bytes } of all) writer.tag(1, text).bytes(Buffer.from(bytes, 'base64'))
  return writer.join().finish()
}

function writeError(writer: BinaryWriter, code: number, problem: string): Uint8Array {
  return writer.tag(tell.error, text).fork().tag(1, 0).int32(code).tag(2, text).string(problem).join().finish()
}
