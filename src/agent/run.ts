import {
  completed,
  type Executor,
  failed,
  reject,
  type TaskContext,
  working,
  type Yielded,
} from '../engine/executor.ts'
import { takesMediaType } from '../engine/media-types.ts'
import type { Logger } from '../lib/log.ts'
import { type AgentCommand, expandCommand } from './commands.ts'
import { conversationOf } from './conversation.ts'
import { answerWithFallback, type FallbackPolicy, ModelError } from './models/fallback.ts'
import type { AnswerEnd, ReadyModel } from './models/stream.ts'
import type { ModelModes } from './parts.ts'
import { readAnswer, type StructuredPlan } from './structured.ts'

/** All that running an agent needs, worked out when its file was loaded. */
export interface AgentPlan {
  /** Makes the system prompt of a turn. */
  system(): string
  /** One of these is picked for each turn. */
  readonly models: readonly ReadyModel[]
  readonly fallbacks: readonly ReadyModel[]
  readonly policy: Omit<FallbackPolicy, 'log'>
  readonly historyItems: number
  readonly commands: readonly AgentCommand[]
  readonly outputModes: readonly string[]
  readonly structured?: StructuredPlan
}

/** Makes the executor of an agent: one call of a model for each message, its text streamed as it comes. */
export function createExecutor(plan: AgentPlan): Executor {
  const warned = new Set<string>()
  return async function* run(task): AsyncGenerator<Yielded> {
    const mode = outputMode(plan.outputModes, task.acceptedOutputModes)
    if (mode === undefined) {
      yield reject(
        `This agent answers with ${plan.outputModes.join(' or ')}, and the caller accepts only ${task.acceptedOutputModes.join(', ')}`,
      )
      return
    }
    yield working()
    const first = plan.models[Math.floor(plan.policy.random() * plan.models.length)]!
    const models = [first, ...plan.fallbacks.filter((model) => model.settings.label !== first.settings.label)]
    const conversation = await conversationOf(task, {
      modes: await modesOf(models),
      historyItems: plan.historyItems,
      expand: (text) => expandCommand(text, plan.commands),
    })
    if ('refused' in conversation) {
      yield reject(conversation.refused)
      return
    }
    const { structured } = plan
    const answer = answerWithFallback(models, {
      system: plan.system(),
      messages: conversation.messages,
      signal: task.signal,
      policy: { ...plan.policy, log: task.log },
      onWarning: (text) => warnOnce(text, warned, task.log),
      ...(structured !== undefined && { responseFormat: structured.format, strictSchema: structured.strict }),
    })
    try {
      if (structured === undefined) yield* textAnswer(answer, first.settings.maxTokens)
      else yield* structuredAnswer(answer, { structured, mode })
    } catch (error) {
      yield failure(error, task)
    }
  }
}

async function* textAnswer(
  answer: AsyncGenerator<string, AnswerEnd>,
  maxTokens: number | undefined,
): AsyncGenerator<Yielded> {
  const end = endOf(yield* answer, maxTokens)
  if (end !== undefined) yield end
}

interface StructuredOptions {
  readonly structured: StructuredPlan
  readonly mode: string
}

async function* structuredAnswer(
  answer: AsyncGenerator<string, AnswerEnd>,
  options: StructuredOptions,
): AsyncGenerator<Yielded> {
  let text = ''
  for (;;) {
    const next = await answer.next()
    if (next.done !== true) {
      text += next.value
      continue
    }
    const end = next.value
    if (end.reason === 'length') {
      yield failed(
        'The answer was cut off before its JSON was complete: the model reached its limit of tokens (max_tokens)',
      )
      return
    }
    const other = endOf(end, undefined)
    if (other !== undefined) {
      yield other
      return
    }
    const read = readAnswer(text, options.structured)
    if ('wrong' in read) yield failed(read.wrong)
    else if (options.mode === 'text/plain') yield { text: JSON.stringify(read.value) }
    else yield { data: read.value, mediaType: 'application/json' }
    return
  }
}

/** The status that tells how an answer ended; undefined when there is nothing to tell. */
function endOf(end: AnswerEnd, maxTokens: number | undefined): Yielded | undefined {
  const { given } = end
  const limit = `the model reached its limit of ${maxTokens === undefined ? 'tokens' : `${maxTokens} tokens`} (max_tokens)`
  switch (end.reason) {
    case 'content-filter':
      return failed(
        given
          ? "The answer was cut off by the provider's content filter"
          : "The provider's content filter stopped the answer",
      )
    case 'length':
      return given ? completed(`The answer was cut off: ${limit}`) : failed(`The model gave no text: ${limit}`)
    case 'tool-calls':
      return failed(
        `The model asked for a tool that this agent does not have${end.tools.length > 0 ? `: ${end.tools.join(', ')}` : ''}`,
      )
    default:
      if (given) return undefined
      return failed(end.thought ? 'The model thought but gave no text as answer' : 'The model gave no text as answer')
  }
}

function failure(error: unknown, task: TaskContext): Yielded {
  task.signal.throwIfAborted()
  if (!(error instanceof ModelError)) throw error
  task.log.error('no model could answer', { reason: error.message })
  return failed(error.message)
}

/** The first of our modes that the caller accepts (§3.2.2); undefined when there is none. */
function outputMode(given: readonly string[], accepted: readonly string[]): string | undefined {
  return accepted.length === 0 ? given[0] : given.find((mode) => takesMediaType(accepted, mode))
}

/** What every model that may have to answer takes. */
async function modesOf(models: readonly ReadyModel[]): Promise<ModelModes> {
  const supported = await Promise.all(models.map(async (model) => (await model.load()).supportedUrls))
  return {
    image: models.every((model) => model.settings.image),
    pdf: models.every((model) => model.settings.pdf),
    fetches: (mediaType, url) => supported.every((patterns) => matches(patterns, mediaType, url)),
  }
}

function matches(patterns: Readonly<Record<string, readonly RegExp[]>>, mediaType: string, url: string): boolean {
  return Object.entries(patterns).some(([type, expressions]) => {
    const fits =
      type === mediaType ||
      type === '*/*' ||
      type === '*' ||
      (type.endsWith('/*') && mediaType.startsWith(type.slice(0, -1)))
    return fits && expressions.some((expression) => expression.test(url.toLowerCase()))
  })
}

function warnOnce(text: string, warned: Set<string>, log: Logger): void {
  if (warned.has(text)) return
  warned.add(text)
  log.warn(`the model's client says: ${text}`)
}
