import type { ListTasksRequest, Message, Part, SendMessageRequest } from '../../generated/v1/types.ts'
import type { Note } from '../dialect.ts'
import { createPeer, type Peer03, peerJsonRpc03 } from './peer.ts'
import { isObject, type Members } from './shapes.ts'
import { createVocabulary } from './vocabulary.ts'

const words = createVocabulary('jsonRpc')
const unheard: Note = () => {}

/**
 * JSON-RPC of 0.3 as software in between the versions speaks it: methods of 0.3 with the states, roles and parts of the
 * protobuf, and a list of tasks by offset. Its answers are read like all others of 0.3.
 */
export const peerGateway: Peer03 = createPeer('jsonRpc', {
  of: (operation) => words.of(operation),
  encodeRequest: (row, request, note = unheard) => {
    if (row.operation.name === 'ListTasks') return writeList(request as ListTasksRequest, note)
    const written = peerJsonRpc03.encodeRequest(row, request, note) as Members
    if ('message' in request) return { ...written, message: writeMessage((request as SendMessageRequest).message) }
    const taskId = written.taskId ?? written.id
    // Some methods know a task by this name only.
    return taskId === undefined ? written : { ...written, name: taskId }
  },
  decodeAnswer: (row, input, warn) => {
    const answer = row.operation.name === 'ListTasks' ? withToken(input) : input
    return peerJsonRpc03.decodeAnswer(row, answer, warn)
  },
})

/** Whether a bare answer has the states of the protobuf, which only such software mixes with methods of 0.3. */
export function isDraftAnswer(answer: unknown): boolean {
  if (!isObject(answer) || answer.kind !== undefined || !isObject(answer.status)) return false
  return String(answer.status.state).startsWith('TASK_STATE_')
}

function writeMessage({ parts, ...rest }: Message): object {
  return { ...rest, parts: parts.map(writePart) }
}

function writePart({ text, raw, url, data, filename, mediaType, metadata }: Part): object {
  const rest = metadata === undefined ? {} : { metadata }
  if (text !== undefined) return { text, ...rest }
  if (raw === undefined && url === undefined) {
    if (isObject(data)) return { data: { data }, ...rest }
    return { data: { data: { value: data ?? null } }, metadata: { ...metadata, data_part_compat: true } }
  }
  const content = raw === undefined ? { fileWithUri: url } : { fileWithBytes: raw }
  return { file: { ...content, ...(mediaType && { mediaType }), ...(filename && { name: filename }) }, ...rest }
}

/** Pages go by offset, which is what a token holds here. */
function writeList(request: ListTasksRequest, note: Note): object {
  const { tenant, contextId, status, pageSize, pageToken, ...others } = request
  if (tenant) note('tenant')
  if (Object.keys(others).length > 0) note('list-filter')
  return {
    ...(contextId && { contextId }),
    ...(status && { state: status === 'TASK_STATE_CANCELED' ? 'TASK_STATE_CANCELLED' : status }),
    ...(pageSize !== undefined && { limit: pageSize }),
    ...(pageToken && { offset: Number(pageToken) }),
  }
}

function withToken(input: unknown): unknown {
  if (!isObject(input)) return input
  const { total, limit, offset, tasks } = input as { total?: number; limit?: number; offset?: number; tasks?: unknown }
  const count = Array.isArray(tasks) ? tasks.length : 0
  const next = (offset ?? 0) + count
  const more = typeof total === 'number' && count > 0 && next < total
  return {
    tasks: tasks ?? [],
    nextPageToken: more ? String(next) : '',
    pageSize: limit ?? count,
    totalSize: total ?? next,
  }
}
