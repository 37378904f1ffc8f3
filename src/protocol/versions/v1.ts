import type { Call } from '../endpoint.ts'
import { serviceName } from '../generated/v1/operations.ts'
import { schema } from '../generated/v1/schema.ts'
import { type OperationName, operations } from '../operations.ts'
import { validate, validateQuery } from '../validate.ts'
import type { Dialect, WireOperation } from './dialect.ts'

const rows: readonly WireOperation[] = operations.map((operation) => {
  const inPath = operation.http[0]?.path ?? ''
  const fields = schema.messages[operation.request] ?? []
  return {
    operation,
    name: operation.name,
    request: operation.request,
    response: operation.response,
    http: operation.http,
    bodyIsOptional: fields.every(({ required, json }) => !required || inPath.includes(`{${json}}`)),
  }
})

const byName: ReadonlyMap<string, WireOperation> = new Map(rows.map((row) => [row.name, row]))

/** Version 1.0, which all three bindings spell alike: what goes in and out is what the engine works with. */
export const v1: Dialect = {
  version: '1.0',
  operations: rows,
  find: (name) => byName.get(name),
  of: (operation: OperationName) => byName.get(operation),
  extensionsHeader: 'a2a-extensions',
  restErrors: 'status',
  grpc: { service: serviceName, schema },
  decode: (row, input, options) => validate(row.operation.request, input, options) as Call['request'],
  decodeQuery: (row, query, options) => validateQuery(row.operation.request, query, options) as Call['request'],
  encode: (_row, result) => result,
  frames: (_row, events) => events,
}
