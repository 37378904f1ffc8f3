import type { Blame } from './blame.ts'

/** Over HTTP+JSON the clients of 0.3 look at the status alone, so they tell 404 from 400 and no more. */
function httpStatusOnly(peer: string): readonly Blame[] {
  const common = {
    peer,
    as: 'client',
    version: '0.3',
    bindings: ['HTTP+JSON'],
    reason: 'does not read the body of an error, and tells no more than its HTTP status',
  } as const
  return [
    {
      ...common,
      steps: ['error-get-unknown', 'error-cancel-unknown', 'error-send-unknown', 'error-subscribe-unknown'],
      evidence: /HTTP Error 404|Resource not found|to contain 'text\/event-stream', got 'application\/json'/,
    },
    { ...common, steps: ['error-cancel-done', 'error-push', 'error-invalid'], evidence: /HTTP Error 400/ },
  ]
}

/** What fails through the fault of the SDKs for Python. */
export const pythonBlames: readonly Blame[] = [
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
  ...httpStatusOnly('python-1'),
  ...httpStatusOnly('python-03'),
  {
    peer: 'python-1',
    as: 'server',
    version: '0.3',
    bindings: ['HTTP+JSON'],
    steps: ['error-send-unknown', 'error-subscribe-unknown'],
    evidence: /broke off its answer: other side closed/,
    reason: 'closes the connection instead of writing the error of a stream',
  },
  {
    peer: 'python-03',
    as: 'server',
    bindings: ['HTTP+JSON'],
    steps: ['error-send-unknown', 'error-subscribe-unknown'],
    evidence: /broke off its answer: other side closed/,
    reason: 'closes the connection instead of writing the error of a stream',
  },
  {
    peer: 'python-03',
    as: 'server',
    steps: ['subscribe'],
    evidence: /text is "0 1 2 2 3/,
    reason: 'appends each chunk to the task once for every subscriber, so a task that is subscribed to holds it twice',
  },
  {
    peer: 'python-03',
    as: 'server',
    steps: ['error-push'],
    evidence: /(Internal|MethodNotFound) : .*Push notifications are not supported/,
    reason: 'tells of missing push notifications with another error than PushNotificationNotSupportedError (-32003)',
  },
  {
    peer: 'python-03',
    as: 'server',
    bindings: ['JSONRPC', 'HTTP+JSON'],
    steps: ['error-card'],
    evidence: /Authenticated card not supported|NotFound : Not Found/,
    reason: 'tells of a missing extended card with another error than that of the specification (-32007)',
  },
  {
    peer: 'python-03',
    as: 'server',
    bindings: ['GRPC'],
    steps: ['error-card'],
    evidence: /no error, but \{"got":"Interop"\}/,
    reason: 'gives the public card as the extended one',
  },
]
