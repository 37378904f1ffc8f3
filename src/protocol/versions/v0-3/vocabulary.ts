import { schema } from '../../generated/v0-3/schema.ts'
import type { Vocabulary, WireOperation } from '../dialect.ts'
import { methodAliases, rows03 } from './operations.ts'
import type { Transport } from './requests.ts'

/** The words of 0.3 on one wire. */
export function createVocabulary(transport: Transport): Vocabulary {
  const operations: readonly WireOperation[] = rows03.map((row) => ({
    operation: row.operation,
    name: transport === 'grpc' ? row.rpc : row.method,
    request: transport === 'grpc' ? row.proto[0] : row.params,
    response: transport === 'grpc' ? row.proto[1] : row.operation.response,
    http: row.http,
    bodyIsOptional: row.params === 'TaskIdParams',
  }))
  const byName = new Map(operations.map((row) => [row.name, row]))
  const byOperation = new Map(operations.map((row) => [row.operation.name, row]))
  return {
    version: '0.3',
    operations,
    find: (name) => byName.get(transport === 'jsonRpc' ? (methodAliases[name] ?? name) : name),
    of: (operation) => byOperation.get(operation),
    extensionsHeader: 'x-a2a-extensions',
    restErrors: 'bare',
    grpc: { service: 'a2a.v1.A2AService', schema },
  }
}
