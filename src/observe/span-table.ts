import type { SpanKind } from '../lib/trace.ts'

export type SpanName = 'call' | 'queue' | 'run' | 'model' | 'store' | 'send'

/** One kind of span. */
export interface SpanRow {
  /** Its name; what stands in braces differs. */
  readonly name: string
  readonly kind: SpanKind
  readonly about: string
  readonly attributes: readonly string[]
}

const call = [
  'a2a.method.name',
  'a2a.protocol.binding',
  'a2a.protocol.version',
  'a2a.task.id',
  'a2a.context.id',
  'a2a.message.id',
] as const
const model = [
  'gen_ai.operation.name',
  'gen_ai.provider.name',
  'gen_ai.request.model',
  'gen_ai.request.max_tokens',
  'gen_ai.request.temperature',
  'gen_ai.request.top_p',
  'gen_ai.response.finish_reasons',
  'gen_ai.usage.input_tokens',
  'gen_ai.usage.output_tokens',
  'gen_ai.input.messages',
  'gen_ai.output.messages',
  'error.type',
] as const

/**
 * Every span, with the names of the drafts of the semantic conventions for A2A and for generative AI. The two `messages` attributes hold
 * texts of users and are set only where that was asked for.
 */
export const spanTable: Readonly<Record<SpanName, SpanRow>> = {
  call: {
    name: '{method}',
    kind: 'server',
    about: 'A call that is answered here, for streams until the last event.',
    attributes: [...call, 'error.type'],
  },
  queue: {
    name: 'queue',
    kind: 'internal',
    about: 'A message that waits for its run to begin.',
    attributes: ['a2a.task.id'],
  },
  run: {
    name: 'invoke_agent {agent}',
    kind: 'internal',
    about: 'A run. It belongs to the trace of the call that brought its message, also when that came to another node.',
    attributes: [
      'gen_ai.operation.name',
      'gen_ai.agent.name',
      'gen_ai.agent.version',
      'gen_ai.conversation.id',
      'a2a.task.id',
      'a2a.context.id',
      'a2a.message.id',
      'a2a.task.state',
      'parlance.resumed',
      'error.type',
    ],
  },
  model: {
    name: 'chat {model}',
    kind: 'client',
    about: 'One question to a model, each attempt one span.',
    attributes: model,
  },
  store: {
    name: 'store {operation}',
    kind: 'client',
    about: 'An operation of the store.',
    attributes: ['db.operation.name', 'error.type'],
  },
  send: {
    name: '{method}',
    kind: 'client',
    about: 'A call of another agent. The header traceparent goes along.',
    attributes: [...call.slice(0, 2), 'a2a.task.id', 'a2a.context.id', 'error.type'],
  },
}
