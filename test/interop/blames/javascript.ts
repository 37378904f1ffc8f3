import type { Blame } from './blame.ts'

/** Their protobuf of 0.3 has no file names and no metadata of parts, and cannot hold a null. */
function withoutNames(who: Pick<Blame, 'peer' | 'as'>): readonly Blame[] {
  const common = { ...who, version: '0.3', bindings: ['HTTP+JSON', 'GRPC'] } as const
  return [
    {
      ...common,
      steps: ['parts', 'mirror'],
      evidence:
        /parts\[1\] is \{("bytes":"AAEC\+vv8\/f7\/"|"mediaType":"application\/octet-stream"|,){3}\}|invalid int32: object|Error serializing response/,
      reason: 'drops the names of files over the protobuf of 0.3; the release 0.3.14 fails on a null in data over gRPC',
    },
    {
      ...common,
      steps: ['value'],
      evidence: /\{"value":\[1,(null|0),"two"|Error serializing response/,
      reason:
        'drops the metadata of parts over the protobuf of 0.3, which says that data that is no object was wrapped',
    },
  ]
}

/** What fails through the fault of the SDKs for JavaScript. */
export const javascriptBlames: readonly Blame[] = [
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
  ...withoutNames({ peer: 'js-1', as: 'client' }),
  ...withoutNames({ peer: 'js-1', as: 'server' }),
  ...withoutNames({ peer: 'js-0.3', as: 'client' }),
  ...withoutNames({ peer: 'js-0.3', as: 'server' }),
  {
    peer: 'js-1',
    as: 'server',
    version: '0.3',
    bindings: ['GRPC'],
    steps: ['history'],
    evidence: /texts is \[\]/,
    reason: 'takes a history length that is not given, 0 in the protobuf of 0.3, for none instead of all',
  },
  {
    peer: 'js-0.3',
    as: 'server',
    bindings: ['JSONRPC', 'HTTP+JSON'],
    steps: ['history'],
    evidence: /texts is \[\]/,
    reason: 'gives no history unless a length is asked for',
  },
  {
    peer: 'js-0.3',
    as: 'server',
    bindings: ['HTTP+JSON'],
    steps: ['error-send-unknown', 'error-subscribe-unknown'],
    evidence: /Bug: toJson serializer/,
    reason: 'fails to write the error of a stream',
  },
  {
    peer: 'js-0.3',
    as: 'server',
    steps: ['error-subscribe-done'],
    evidence: /no error, but \{"events":\["task"\]\}/,
    reason: 'gives the task of a subscription that comes too late, which 0.3 leaves open',
  },
]
