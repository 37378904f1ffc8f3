// Instructions of the integration test kit: itk/instruction.proto as a table, read and written byte by byte.
import { BinaryReader, BinaryWriter } from '@bufbuild/protobuf/wire'
import type { TaskContext } from 'parlance/server'

/** What an agent is told to do: one of these. */
export interface Instruction {
  readonly callAgent?: CallAgent
  readonly returnResponse?: { readonly response?: string; readonly holdTask?: boolean }
  readonly steps?: { readonly instructions?: readonly Instruction[]; readonly responseGenerator?: number }
}

/** Hands an instruction to another agent; one of the last three says how. */
export interface CallAgent {
  readonly transport?: string
  readonly agentCardUri?: string
  readonly instruction?: Instruction
  readonly streaming?: boolean
  readonly sendMessage?: Record<never, never>
  readonly pushNotification?: { readonly url?: string }
  readonly resubscribe?: Record<never, never>
}

type Field = readonly [name: string, type: string, repeated?: 'repeated']

/** Fields of each message by their numbers. */
const messages: Readonly<Record<string, Readonly<Record<number, Field>>>> = {
  Instruction: {
    1: ['callAgent', 'CallAgent'],
    2: ['returnResponse', 'ReturnResponse'],
    3: ['steps', 'SeriesOfSteps'],
  },
  CallAgent: {
    1: ['transport', 'string'],
    2: ['agentCardUri', 'string'],
    3: ['instruction', 'Instruction'],
    4: ['streaming', 'bool'],
    5: ['sendMessage', 'Empty'],
    6: ['pushNotification', 'PushNotification'],
    7: ['resubscribe', 'Empty'],
  },
  ReturnResponse: { 1: ['response', 'string'], 2: ['holdTask', 'bool'] },
  SeriesOfSteps: { 1: ['instructions', 'Instruction', 'repeated'], 2: ['responseGenerator', 'int32'] },
  PushNotification: { 1: ['url', 'string'] },
  Empty: {},
}

type Fields = Record<string, unknown>

function readMessage(type: string, reader: BinaryReader, end: number): Fields {
  const message: Fields = {}
  while (reader.pos < end) {
    const [number, wireType] = reader.tag()
    const field = messages[type]?.[number]
    if (field === undefined) {
      reader.skip(wireType, number)
      continue
    }
    const [name, kind, repeated] = field
    const value = readValue(kind, reader)
    message[name] = repeated ? [...((message[name] as unknown[] | undefined) ?? []), value] : value
  }
  return message
}

function readValue(kind: string, reader: BinaryReader): unknown {
  if (kind === 'string') return reader.string()
  if (kind === 'bool') return reader.bool()
  if (kind === 'int32') return reader.int32()
  const length = reader.uint32()
  return readMessage(kind, reader, reader.pos + length)
}

function writeMessage(type: string, message: Fields, writer: BinaryWriter): BinaryWriter {
  for (const [number, [name, kind]] of Object.entries(messages[type] ?? {})) {
    const value = message[name]
    if (value === undefined) continue
    for (const one of Array.isArray(value) ? value : [value]) writeValue(kind, { number: Number(number), one, writer })
  }
  return writer
}

interface Written {
  readonly number: number
  readonly one: unknown
  readonly writer: BinaryWriter
}

function writeValue(kind: string, { number, one, writer }: Written): void {
  if (kind === 'string') writer.tag(number, 2).string(one as string)
  else if (kind === 'bool') writer.tag(number, 0).bool(one as boolean)
  else if (kind === 'int32') writer.tag(number, 0).int32(one as number)
  else writeMessage(kind, one as Fields, writer.tag(number, 2).fork()).join()
}

/** The instruction that bytes hold; throws when they hold none. */
export function decodeInstruction(bytes: Uint8Array): Instruction {
  return readMessage('Instruction', new BinaryReader(bytes), bytes.length)
}

/** The bytes of an instruction. */
export function encodeInstruction(instruction: Instruction): Uint8Array {
  return writeMessage('Instruction', { ...instruction }, new BinaryWriter()).finish()
}

type Message = TaskContext['message']

const mediaType = 'application/x-protobuf'
const filename = 'instruction.bin'

/** The part that carries an instruction. */
export function instructionPart(instruction: Instruction): {
  readonly raw: string
  readonly filename: string
  readonly mediaType: string
} {
  return { raw: Buffer.from(encodeInstruction(instruction)).toString('base64'), filename, mediaType }
}

/** The instruction in a message, or undefined where no part is meant as one. */
export function instructionOf({ parts }: Message): Instruction | undefined {
  const part = parts.find((each) => each.mediaType === mediaType || each.filename === filename)
  const encoded = part?.raw ?? part?.text
  return encoded === undefined ? undefined : decodeInstruction(Buffer.from(encoded, 'base64'))
}
