import type { Messages } from '../protocol/generated/v1/types.ts'

/** Whether a request says that it wants no history, which the protobuf of 0.3 cannot. */
export function wantsNoHistory(request: object): boolean {
  const { historyLength, configuration } = request as {
    historyLength?: number
    configuration?: { historyLength?: number }
  }
  return historyLength === 0 || configuration?.historyLength === 0
}

/** An answer with its tasks' history left out. */
export function withoutHistory(answer: object): Messages[keyof Messages] {
  const { history: _, task, ...rest } = answer as { readonly history?: unknown; readonly task?: object }
  return (task === undefined ? rest : { ...rest, task: withoutHistory(task) }) as Messages[keyof Messages]
}
