import { usageError } from '../command-error.ts'
import type { CommonFlags } from '../connection.ts'
import { exitCodes } from '../exit-codes.ts'
import type { Output } from '../output.ts'

/** The flags of `parlance schema`. */
export interface SchemaFlags extends CommonFlags {
  /** True for the schema of every message. */
  readonly jsonSchema?: string | true
  readonly openapi?: boolean
  /** A version; true for 1.0. */
  readonly proto?: string | true
}

/** `parlance schema`: prints the protocol as a schema of one kind. */
export async function schema(flags: SchemaFlags, output: Output): Promise<number> {
  const kinds = [flags.jsonSchema !== undefined, flags.openapi === true, flags.proto !== undefined].filter(
    Boolean,
  ).length
  if (kinds !== 1) throw usageError('schema: choose one of --json-schema [TYPE], --openapi and --proto [VERSION]')
  await output.write(await schemaText(flags))
  return exitCodes.ok
}

async function schemaText({ jsonSchema: type, openapi, proto }: SchemaFlags): Promise<string> {
  const text = (document: unknown): string => `${JSON.stringify(document, null, 2)}\n`
  if (openapi === true) {
    const { openApi } = await import('../../protocol/openapi.ts')
    return text(openApi())
  }
  if (type === undefined) {
    if (proto !== true && proto !== '1.0' && proto !== '0.3')
      throw usageError(`--proto: ${proto} is not known`, '1.0 or 0.3')
    const { protoText } =
      proto === '0.3'
        ? await import('../../protocol/generated/v0-3/proto-text.ts')
        : await import('../../protocol/generated/v1/proto-text.ts')
    return protoText
  }
  const { jsonSchema } = await import('../../protocol/json-schema.ts')
  if (type === true) return text(jsonSchema())
  const { schema: tables } = await import('../../protocol/generated/v1/schema.ts')
  const names = Object.keys(tables.messages)
  const name = names.find((known) => known.toLowerCase() === type.toLowerCase())
  if (name === undefined)
    throw usageError(`--json-schema: the protocol has no message ${type}`, `one of ${names.join(', ')}`)
  return text(jsonSchema(name as Parameters<typeof jsonSchema>[0]))
}
