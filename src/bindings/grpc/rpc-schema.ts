import type { FieldDescriptor, Schema } from '../../protocol/schema.ts'

type Field = Pick<FieldDescriptor, 'type' | 'typeName' | 'repeated' | 'map'>

const text: Field = { type: 'string' }

/** A message of google.rpc; its fields are numbered from 1, and ProtoJSON names are given. */
function message(fields: Readonly<Record<string, Field>>): FieldDescriptor[] {
  return Object.entries(fields).map(([json, field], at) => ({ name: json, json, number: at + 1, ...field }))
}

function listOf(typeName: string): Field {
  return { type: 'message', typeName, repeated: true }
}

/** google.rpc.Status and the messages of its details, as google/rpc/status.proto and error_details.proto have them. */
export const rpcSchema: Schema = {
  messages: {
    Status: message({ code: { type: 'int32' }, message: text, details: listOf('Any') }),
    Any: message({ typeUrl: text, value: { type: 'bytes' } }),
    ErrorInfo: message({ reason: text, domain: text, metadata: { type: 'string', map: true } }),
    BadRequest: message({ fieldViolations: listOf('FieldViolation') }),
    FieldViolation: message({
      field: text,
      description: text,
      reason: text,
      localizedMessage: { type: 'message', typeName: 'LocalizedMessage' },
    }),
    RetryInfo: message({ retryDelay: { type: 'message', typeName: 'Duration' } }),
    // Seconds are an int64 there; delays that are meant fit into an int32, which is written alike.
    Duration: message({ seconds: { type: 'int32' }, nanos: { type: 'int32' } }),
    DebugInfo: message({ stackEntries: { type: 'string', repeated: true }, detail: text }),
    QuotaFailure: message({ violations: listOf('QuotaViolation') }),
    QuotaViolation: message({ subject: text, description: text }),
    PreconditionFailure: message({ violations: listOf('PreconditionViolation') }),
    PreconditionViolation: message({ type: text, subject: text, description: text }),
    RequestInfo: message({ requestId: text, servingData: text }),
    ResourceInfo: message({ resourceType: text, resourceName: text, owner: text, description: text }),
    Help: message({ links: listOf('HelpLink') }),
    HelpLink: message({ description: text, url: text }),
    LocalizedMessage: message({ locale: text, message: text }),
    Struct: message({ fields: { type: 'value', map: true } }),
  },
  enums: {},
}

/** The types that stand in details under their own names. */
export const detailTypes: ReadonlySet<string> = new Set([
  'ErrorInfo',
  'BadRequest',
  'RetryInfo',
  'DebugInfo',
  'QuotaFailure',
  'PreconditionFailure',
  'RequestInfo',
  'ResourceInfo',
  'Help',
  'LocalizedMessage',
])
