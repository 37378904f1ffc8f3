import { type Encoded, encodeText } from '../protocol/encoded.ts'
import { invalidParams } from '../protocol/errors.ts'
import type { GetTaskRequest, ListTasksRequest, ListTasksResponse, Task } from '../protocol/generated/v1/types.ts'
import { taskNotFound } from './claim.ts'
import type { Core } from './core.ts'
import type { Cursor, ListQuery, Scope } from './store.ts'

const largestPage = 100
const usualPage = 50

/** Refuses a negative number of messages (§3.2.4). */
export function checkHistoryLength(length: number | undefined, field = 'historyLength'): void {
  if (length !== undefined && length < 0) {
    throw invalidParams([
      { field, description: `must be 0 or more, not ${length}; leave it out for the whole history` },
    ])
  }
}

/** GetTask (§3.1.3). */
export async function getTask(core: Core, scope: Scope, request: GetTaskRequest): Promise<Encoded<Task>> {
  const { id, historyLength } = request
  checkHistoryLength(historyLength)
  const view = { artifacts: true, ...(historyLength !== undefined && { historyLength }) }
  const snapshot = await core.store.read(scope, id, view)
  if (snapshot === undefined) throw taskNotFound(id)
  return encodeText<Task>(snapshot.text)
}

/** ListTasks (§3.1.4). */
export async function listTasks(
  core: Core,
  scope: Scope,
  request: ListTasksRequest,
): Promise<Encoded<ListTasksResponse>> {
  const { contextId, status, statusTimestampAfter, historyLength, pageToken, pageSize = usualPage } = request
  checkHistoryLength(historyLength)
  if (pageSize < 1 || pageSize > largestPage) {
    throw invalidParams([{ field: 'pageSize', description: `must be 1 to ${largestPage}, not ${pageSize}` }])
  }
  const filters = fingerprint([scope.agent, scope.tenant, scope.owner, contextId, status, statusTimestampAfter])
  const query: ListQuery = {
    pageSize,
    view: { artifacts: request.includeArtifacts ?? false, ...(historyLength !== undefined && { historyLength }) },
    ...(contextId && { contextId }),
    ...(status && status !== 'TASK_STATE_UNSPECIFIED' && { state: status }),
    ...(statusTimestampAfter && { since: Date.parse(statusTimestampAfter) }),
    ...(pageToken && { cursor: readToken(pageToken, filters) }),
  }
  const { tasks, next, total } = await core.store.list(scope, query)
  const token = next === undefined ? '' : writeToken(next, filters)
  const texts = tasks.map((snapshot) => snapshot.text).join(',')
  return encodeText<ListTasksResponse>(
    `{"tasks":[${texts}],"nextPageToken":"${token}","pageSize":${pageSize},"totalSize":${total}}`,
  )
}

/** A short digest that tells one set of filters from another; no secret depends on it. */
function fingerprint(values: readonly unknown[]): string {
  let hash = 0xcbf29ce484222325n
  for (const code of new TextEncoder().encode(JSON.stringify(values))) {
    hash = BigInt.asUintN(64, (hash ^ BigInt(code)) * 0x100000001b3n)
  }
  return hash.toString(36)
}

function writeToken(cursor: Cursor, filters: string): string {
  const text = btoa(JSON.stringify([...cursor, filters]))
  return text.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
}

function readToken(token: string, filters: string): Cursor {
  const cursor = decodeToken(token)
  if (cursor === undefined || cursor[2] !== filters) {
    const description = 'is not a token of this list; use nextPageToken of the page before, with the same filters'
    throw invalidParams([{ field: 'pageToken', description }])
  }
  return [cursor[0], cursor[1]]
}

function decodeToken(token: string): readonly [number, number | string, string] | undefined {
  try {
    const value: unknown = JSON.parse(atob(token.replaceAll('-', '+').replaceAll('_', '/')))
    if (!Array.isArray(value) || value.length !== 3) return undefined
    const [time, tie, filters] = value as unknown[]
    if (!Number.isSafeInteger(time) || typeof filters !== 'string') return undefined
    if (typeof tie !== 'string' && !Number.isSafeInteger(tie)) return undefined
    return [time as number, tie as number | string, filters]
  } catch {
    return undefined
  }
}
