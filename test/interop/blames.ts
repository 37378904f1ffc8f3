import type { Binding, Version } from './steps.ts'

/** A step that fails through the fault of the peer. */
export interface Blame {
  readonly peer: string
  /** What the peer is when it does this. */
  readonly as: 'server' | 'client'
  /** Default: both. */
  readonly version?: Version
  /** Default: all. */
  readonly bindings?: readonly Binding[]
  readonly steps: readonly string[]
  /** What the failure must look like; another failure of the same step is not excused. */
  readonly evidence: RegExp
  readonly reason: string
}

/** The steps that cannot work with the gRPC service of a draft. */
const beforeRelease: readonly string[] = [
  'send',
  'send-now',
  'cancel',
  'message',
  'stream',
  'ask',
  'reply',
  'history',
  'list',
  'subscribe',
  'parts',
  'value',
  'mirror',
  'fail',
  'reject',
  'error-get-unknown',
  'error-cancel-unknown',
  'error-cancel-done',
  'error-send-done',
  'error-send-unknown',
  'error-subscribe-unknown',
  'error-subscribe-done',
  'error-push',
]

/** All that is known to fail through the fault of a peer. An entry for something that works fails the matrix. */
export const blames: readonly Blame[] = [
  {
    peer: 'go-2',
    as: 'client',
    version: '1.0',
    bindings: ['JSONRPC'],
    steps: ['error-subscribe-unknown', 'error-subscribe-done'],
    evidence: /no error, but \{"events":null\}/,
    reason:
      'reads only `data:` lines of the answer to a stream, so a JSON-RPC error in a plain JSON answer passes for a stream without events',
  },
  {
    peer: 'go-2',
    as: 'server',
    steps: ['error-send-done'],
    evidence: /InvalidParams .*task in a terminal state/,
    reason: 'refuses a message to a task that has ended with InvalidParams; §3.1.1 has UnsupportedOperation',
  },
  {
    peer: 'go-2',
    as: 'server',
    steps: ['error-subscribe-done'],
    evidence: /TaskNotFound .*no active execution/,
    reason: 'says that a task that has ended is not found; §3.1.6 has UnsupportedOperation',
  },
  {
    peer: 'go-2',
    as: 'client',
    version: '1.0',
    bindings: ['GRPC'],
    steps: ['value'],
    evidence: /parts is \[\{"data":\{\}\}\]/,
    reason: 'reads `Part.data`, a Value, as a Struct over gRPC, so data that is no object comes out empty',
  },
  {
    peer: 'go-2',
    as: 'server',
    version: '1.0',
    bindings: ['GRPC'],
    steps: ['value'],
    evidence: /DataPart value must be a map/,
    reason: 'writes `Part.data`, a Value, as a Struct over gRPC, so data that is no object cannot be sent',
  },
  {
    peer: 'go-2',
    as: 'client',
    version: '1.0',
    bindings: ['HTTP+JSON'],
    steps: ['error-invalid'],
    evidence: /INTERNAL_ERROR .*message\.parts/,
    reason:
      'knows InvalidParams only by an ErrorInfo reason that the specification does not define, not by INVALID_ARGUMENT',
  },
  {
    peer: 'js-1',
    as: 'client',
    version: '1.0',
    bindings: ['HTTP+JSON', 'GRPC'],
    steps: ['error-invalid'],
    evidence: /INTERNAL_ERROR .*message\.parts/,
    reason:
      'knows InvalidParams only by an ErrorInfo reason that the specification does not define, not by INVALID_ARGUMENT',
  },
  {
    peer: 'python-1',
    as: 'client',
    version: '1.0',
    bindings: ['HTTP+JSON'],
    steps: ['error-invalid'],
    evidence: /HTTP Error 400/,
    reason:
      'knows InvalidParams only by an ErrorInfo reason that the specification does not define, not by INVALID_ARGUMENT',
  },
  {
    peer: 'java-1',
    as: 'client',
    bindings: ['GRPC'],
    steps: beforeRelease,
    evidence: /UnsupportedOperationError|this\.asked|neither ended nor failed/,
    reason:
      'calls the service `a2a.v1.A2AService` of a draft of 1.0 with the messages of that draft, which is the name that 0.3 has',
  },
  {
    peer: 'java-1',
    as: 'server',
    bindings: ['GRPC'],
    steps: [...beforeRelease, 'error-card'],
    evidence: /MethodNotFound .*lf\.a2a\.v1|kind is undefined/,
    reason: 'serves `a2a.v1.A2AService` of a draft of 1.0 instead of `lf.a2a.v1.A2AService`',
  },
  {
    peer: 'java-1',
    as: 'client',
    bindings: ['JSONRPC', 'HTTP+JSON'],
    steps: ['send-now'],
    evidence: /TimeoutException/,
    reason: 'sends `blocking` of a draft instead of `returnImmediately`',
  },
  {
    peer: 'java-1',
    as: 'server',
    bindings: ['JSONRPC', 'HTTP+JSON'],
    steps: ['send-now'],
    evidence: /returnImmediately/,
    reason: 'has `blocking` of a draft instead of `returnImmediately`, and refuses members that it does not know',
  },
  {
    peer: 'java-1',
    as: 'client',
    bindings: ['JSONRPC'],
    steps: ['list'],
    evidence: /pageSize must be equal to the number of tasks/,
    reason: 'refuses a page whose `pageSize` is the size that was used (§3.1.4) instead of the number of its tasks',
  },
  {
    peer: 'java-1',
    as: 'client',
    bindings: ['JSONRPC', 'HTTP+JSON'],
    steps: ['parts', 'mirror'],
    evidence: /NullPointerException/,
    reason: 'fails on a null inside of data',
  },
  {
    peer: 'java-1',
    as: 'server',
    bindings: ['JSONRPC', 'HTTP+JSON'],
    steps: ['mirror'],
    evidence: /Internal : null|no valid StreamResponse/,
    reason: 'fails on a null inside of data',
  },
  {
    peer: 'java-1',
    as: 'client',
    bindings: ['JSONRPC'],
    steps: ['error-subscribe-unknown', 'error-subscribe-done'],
    evidence: /no error, but \{"events":\[\]\}/,
    reason: 'takes a JSON-RPC error in a plain JSON answer for the end of a stream',
  },
  {
    peer: 'java-1',
    as: 'client',
    bindings: ['JSONRPC'],
    steps: ['error-card'],
    evidence: /Unsupported JSON-RPC method: 'GetExtendedAgentCard'/,
    reason: 'cannot read the answer to its own GetExtendedAgentCard',
  },
  {
    peer: 'java-1',
    as: 'client',
    bindings: ['HTTP+JSON'],
    steps: ['history'],
    evidence: /Illegal character in query.*historyLength= 1/,
    reason: 'writes a space into the URL before the history length',
  },
  {
    peer: 'java-1',
    as: 'client',
    bindings: ['HTTP+JSON'],
    steps: [
      'error-get-unknown',
      'error-cancel-unknown',
      'error-cancel-done',
      'error-send-unknown',
      'error-push',
      'error-subscribe-unknown',
      'error-subscribe-done',
    ],
    evidence: /UnsupportedOperationException : JsonObject|Request failed with status 40[04]/,
    reason: 'expects errors of a draft, `{error: "class name"}`, and cannot read `{error: {…}}` (§11.6)',
  },
  {
    peer: 'java-1',
    as: 'server',
    bindings: ['JSONRPC', 'HTTP+JSON'],
    steps: ['error-send-unknown', 'error-send-done'],
    evidence: /no error, but .*"completed"/,
    reason: 'takes a message for a task that has ended or that it does not know, and runs it',
  },
  {
    peer: 'java-1',
    as: 'server',
    bindings: ['HTTP+JSON'],
    steps: ['error-get-unknown', 'error-cancel-unknown'],
    evidence: /no error, but|TaskNotCancelable/,
    reason: 'knows the task `no-such-task` since it took a message for it',
  },
  {
    peer: 'java-1',
    as: 'server',
    bindings: ['JSONRPC'],
    steps: ['error-subscribe-done'],
    evidence: /TaskNotFound/,
    reason: 'says that a task that has ended is not found; §3.1.6 has UnsupportedOperation',
  },
  {
    peer: 'java-1',
    as: 'server',
    bindings: ['HTTP+JSON'],
    steps: ['error-subscribe-unknown', 'error-subscribe-done'],
    evidence: /no valid StreamResponse/,
    reason: 'writes errors of a draft, `{error: "class name", message}`, into an event stream of status 200',
  },
  {
    peer: 'java-1',
    as: 'server',
    bindings: ['JSONRPC'],
    steps: ['error-push'],
    evidence: /CreateTaskPushNotificationConfigRequest/,
    reason: 'takes the nested push configuration of a draft, and refuses members that it does not know',
  },
  {
    peer: 'java-1',
    as: 'server',
    bindings: ['HTTP+JSON'],
    steps: ['error-push'],
    evidence: /MethodNotFound : Push Notification is not supported/,
    reason: 'writes errors of a draft, without the reason that tells their type',
  },
]
