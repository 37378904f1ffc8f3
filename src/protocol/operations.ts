import { type OperationName, operationRows } from './generated/v1/operations.ts'
import type { Messages } from './generated/v1/types.ts'
import type { OperationRow } from './schema.ts'

export type {
  OperationName,
  OperationTypes,
  RequestOf,
  ResponseOf,
  StreamOperation,
  UnaryOperation,
} from './generated/v1/operations.ts'

/** A capability of the card that an operation needs, and the error when it is off (§3.3.4). */
export interface Need {
  readonly capability: 'streaming' | 'pushNotifications' | 'extendedAgentCard'
  readonly error: 'UnsupportedOperation' | 'PushNotificationNotSupported'
}

const streaming: Need = { capability: 'streaming', error: 'UnsupportedOperation' }
const push: Need = { capability: 'pushNotifications', error: 'PushNotificationNotSupported' }

const needs: Readonly<Partial<Record<OperationName, Need>>> = {
  SendStreamingMessage: streaming,
  SubscribeToTask: streaming,
  CreateTaskPushNotificationConfig: push,
  GetTaskPushNotificationConfig: push,
  ListTaskPushNotificationConfigs: push,
  DeleteTaskPushNotificationConfig: push,
  GetExtendedAgentCard: { capability: 'extendedAgentCard', error: 'UnsupportedOperation' },
}

/** One operation of the protocol, as the schema's service gives it, and what it needs. */
export type Operation = OperationRow<OperationName, keyof Messages> & { readonly needs?: Need }

/** The eleven operations, in the order of the schema. */
export const operations: readonly Operation[] = operationRows.map((row) => {
  const need = needs[row.name]
  return need === undefined ? row : { ...row, needs: need }
})

const byName: ReadonlyMap<string, Operation> = new Map(operations.map((row) => [row.name, row]))

/** The operation with this name, exactly spelled; undefined when there is none. */
export function findOperation(name: string): Operation | undefined {
  return byName.get(name)
}
