import type { EnumDescriptor, FieldDescriptor, FieldType, Tables } from '../../schema.ts'

/**
 * The objects of 0.3 in their JSON-RPC form, a line each. `!` is required, `*` a list, `=` the one text that is allowed.
 * Types that are written in capitals are other rows, `TaskState` and `Role` are enums.
 */
const rows: Readonly<Record<string, string>> = {
  Task: 'kind=task id:string! contextId:string status:TaskStatus! history:Message* artifacts:Artifact* metadata:struct',
  TaskStatus: 'state:TaskState! message:Message timestamp:string',
  Message:
    'kind=message messageId:string! role:Role! parts:Part*! contextId:string taskId:string metadata:struct extensions:string* referenceTaskIds:string*',
  Part: 'kind:string text:string file:File data:struct metadata:struct',
  File: 'bytes:bytes uri:string mimeType:string name:string',
  Artifact: 'artifactId:string! name:string description:string parts:Part*! metadata:struct extensions:string*',
  TaskStatusUpdateEvent:
    'kind=status-update taskId:string! contextId:string! status:TaskStatus! final:bool metadata:struct',
  TaskArtifactUpdateEvent:
    'kind=artifact-update taskId:string! contextId:string! artifact:Artifact! append:bool lastChunk:bool metadata:struct',
  MessageSendParams: 'message:Message! configuration:MessageSendConfiguration metadata:struct',
  MessageSendConfiguration:
    'acceptedOutputModes:string* historyLength:int32 pushNotificationConfig:PushNotificationConfig blocking:bool',
  TaskIdParams: 'id:string name:string metadata:struct',
  TaskQueryParams: 'id:string name:string historyLength:int32 metadata:struct',
  TaskListParams:
    'contextId:string status:TaskState pageSize:int32 pageToken:string historyLength:int32 statusTimestampAfter:timestamp includeArtifacts:bool',
  TaskList: 'tasks:Task* nextPageToken:string pageSize:int32 totalSize:int32',
  TaskPushNotificationConfig:
    'taskId:string id:string name:string parent:string configId:string config:TaskPushNotificationConfig pushNotificationConfig:PushNotificationConfig url:string token:string authentication:PushNotificationAuthenticationInfo',
  PushNotificationConfig: 'id:string url:string token:string authentication:PushNotificationAuthenticationInfo',
  PushNotificationAuthenticationInfo: 'schemes:string* credentials:string',
  PushNotificationConfigParams:
    'id:string name:string parent:string pushNotificationConfigId:string pageSize:int32 pageToken:string metadata:struct',
  PushNotificationConfigList: 'configs:TaskPushNotificationConfig* nextPageToken:string',
  Nothing: '',
}

const enums: Readonly<Record<string, EnumDescriptor>> = {
  TaskState: [
    ['unknown', 0, 'TASK_STATE_UNSPECIFIED'],
    ['submitted', 1, 'TASK_STATE_SUBMITTED'],
    ['working', 2, 'TASK_STATE_WORKING'],
    ['completed', 3, 'TASK_STATE_COMPLETED'],
    ['failed', 4, 'TASK_STATE_FAILED'],
    ['canceled', 5, 'TASK_STATE_CANCELLED', 'TASK_STATE_CANCELED', 'cancelled'],
    ['input-required', 6, 'TASK_STATE_INPUT_REQUIRED'],
    ['rejected', 7, 'TASK_STATE_REJECTED'],
    ['auth-required', 8, 'TASK_STATE_AUTH_REQUIRED'],
  ],
  Role: [
    ['unspecified', 0, 'ROLE_UNSPECIFIED'],
    ['user', 1, 'ROLE_USER'],
    ['agent', 2, 'ROLE_AGENT'],
  ],
}

/** What the same is called in protobuf, in drafts, and by peers that mix the two. */
const aliases: Readonly<Record<string, readonly string[]>> = {
  'Message.parts': ['content'],
  'TaskStatus.message': ['update'],
  // `data` stands in a sample of the text of 0.3.
  'File.bytes': ['fileWithBytes', 'file_with_bytes', 'data'],
  'File.uri': ['fileWithUri', 'file_with_uri'],
  'File.mimeType': ['mediaType', 'media_type'],
  'MessageSendParams.message': ['request', 'msg'],
  'MessageSendConfiguration.pushNotificationConfig': [
    'pushNotification',
    'push_notification',
    'taskPushNotificationConfig',
  ],
  'TaskListParams.status': ['state'],
  'TaskListParams.pageSize': ['limit'],
}

const scalars: ReadonlySet<string> = new Set(['string', 'bool', 'int32', 'bytes', 'struct', 'timestamp'])

function descriptor(text: string, number: number): FieldDescriptor {
  const [, json = '', constant, type = '', marks = ''] = /^(\w+)(?:=([\w-]+)|:(\w+))([*!]*)$/.exec(text) ?? []
  const name = json.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
  if (constant !== undefined) return { name, json, number, type: 'string', constant }
  return {
    name,
    json,
    number,
    ...(scalars.has(type)
      ? { type: type as FieldType }
      : { type: Object.hasOwn(enums, type) ? 'enum' : 'message', typeName: type }),
    // What a caller sets, even to its default, is told from what is left out.
    ...(marks.includes('*') ? { repeated: true } : { optional: true }),
    ...(marks.includes('!') && { required: true }),
  }
}

/** The tables of the JSON form; whoever reads by them takes the protobuf form as well. */
export const tables: Tables = {
  schema: {
    messages: Object.fromEntries(
      Object.entries(rows).map(([name, row]) => [
        name,
        row === '' ? [] : row.split(' ').map((text, index) => descriptor(text, index + 1)),
      ]),
    ),
    enums,
  },
  mayBeEmpty: new Set(),
  aliases,
  queryAliases: {},
}

/** An object of JSON whose members nobody has checked. */
export type Members = Readonly<Record<string, unknown>>

export function isObject(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
