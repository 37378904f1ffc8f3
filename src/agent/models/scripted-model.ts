import { setTimeout as sleep } from 'node:timers/promises'
import { APICallError } from 'ai'
import type { CallOptions, GenerateResult, LanguageModel, StreamPart } from './language-model.ts'
import type { Script, ScriptedChunk, ScriptedRule } from './scripted-file.ts'

/** A language model of the AI SDK that answers from a script. */
export function createScriptedModel(script: Script): LanguageModel {
  const uses = new Map<ScriptedRule, number>()
  let calls = 0

  function open(options: CallOptions): AsyncGenerator<StreamPart> {
    const conversation = readPrompt(options.prompt)
    for (const rule of script.rules) {
      const used = uses.get(rule) ?? 0
      const groups = used < rule.times ? match(rule, conversation) : undefined
      if (groups === undefined) continue
      uses.set(rule, used + 1)
      if (rule.error !== undefined && rule.error.after === 0) throw scriptedError(rule.error, script.file)
      return play(rule, {
        fill: (text) => fill(text, conversation, groups),
        call: ++calls,
        signal: options.abortSignal,
        file: script.file,
      })
    }
    throw new Error(`no rule of ${script.file} fits turn ${conversation.turn}, and it has no default`)
  }

  return {
    specificationVersion: 'v3',
    provider: 'scripted',
    modelId: script.file,
    supportedUrls: { '*/*': [/.*/] },
    async doStream(options) {
      const parts = open(options)
      const stream = new ReadableStream<StreamPart>({
        async pull(controller) {
          const next = await parts.next()
          if (next.done === true) controller.close()
          else controller.enqueue(next.value)
        },
        async cancel() {
          await parts.return(undefined)
        },
      })
      return { stream }
    },
    async doGenerate(options) {
      let text = ''
      const content: GenerateResult['content'] = []
      let end: Extract<StreamPart, { type: 'finish' }> | undefined
      for await (const part of open(options)) {
        if (part.type === 'text-delta') text += part.delta
        else if (part.type === 'tool-call') content.push(part)
        else if (part.type === 'finish') end = part
      }
      if (text !== '') content.unshift({ type: 'text', text })
      return { content, finishReason: end!.finishReason, usage: end!.usage, warnings: [] }
    },
  }
}

interface Conversation {
  readonly system: string
  readonly text: string
  /** Which message of the user this is, from 1. */
  readonly turn: number
  /** The tool whose result came last, if nothing came after it. */
  readonly tool: string | undefined
}

function readPrompt(prompt: CallOptions['prompt']): Conversation {
  const users = prompt.filter((message) => message.role === 'user')
  const last = prompt.at(-1)
  const result = last?.role === 'tool' ? last.content.findLast((part) => part.type === 'tool-result') : undefined
  return {
    system: prompt.flatMap((message) => (message.role === 'system' ? [message.content] : [])).join('\n'),
    text: (users.at(-1)?.content ?? []).flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n'),
    turn: users.length,
    tool: result?.toolName,
  }
}

/** The groups of `when.text`; undefined when the rule does not hold. */
function match(rule: ScriptedRule, conversation: Conversation): readonly string[] | undefined {
  const { text, system, tool, turn } = rule.when
  if (turn !== undefined && turn !== conversation.turn) return undefined
  if (system !== undefined && !system.test(conversation.system)) return undefined
  if (tool !== undefined && (conversation.tool === undefined || !tool.test(conversation.tool))) return undefined
  if (text === undefined) return []
  return text.exec(conversation.text)?.slice(1)
}

function fill(text: string, conversation: Conversation, groups: readonly string[]): string {
  return text.replace(/\{\{(text|turn|[1-9])\}\}/g, (_, name: string) => {
    if (name === 'text') return conversation.text
    return name === 'turn' ? String(conversation.turn) : (groups[Number(name) - 1] ?? '')
  })
}

interface PlayOptions {
  readonly call: number
  readonly signal: AbortSignal | undefined
  readonly file: string
  fill(text: string): string
}

async function* play(rule: ScriptedRule, options: PlayOptions): AsyncGenerator<StreamPart> {
  const { signal } = options
  let given = 0
  async function* chunks(list: readonly ScriptedChunk[]): AsyncGenerator<string> {
    for (const { text, delay } of list) {
      if (rule.error !== undefined && rule.error.after === given) throw scriptedError(rule.error, options.file)
      given++
      if (delay > 0) await sleep(delay, undefined, signal === undefined ? {} : { signal })
      signal?.throwIfAborted()
      yield options.fill(text)
    }
  }
  yield { type: 'stream-start', warnings: [] }
  if (rule.reasoning.length > 0) {
    yield { type: 'reasoning-start', id: 'reasoning' }
    for (const { text, delay } of rule.reasoning) {
      if (delay > 0) await sleep(delay, undefined, signal === undefined ? {} : { signal })
      yield { type: 'reasoning-delta', id: 'reasoning', delta: options.fill(text) }
    }
    yield { type: 'reasoning-end', id: 'reasoning' }
  }
  if (rule.reply.length > 0) {
    yield { type: 'text-start', id: 'text' }
    for await (const delta of chunks(rule.reply)) yield { type: 'text-delta', id: 'text', delta }
    yield { type: 'text-end', id: 'text' }
  }
  if (rule.error !== undefined) throw scriptedError(rule.error, options.file)
  for (const [index, call] of rule.toolCalls.entries()) {
    const toolCallId = `scripted-${options.call}-${index}`
    yield { type: 'tool-call', toolCallId, toolName: call.name, input: JSON.stringify(call.arguments) }
  }
  if (rule.hang) await untilAborted(signal)
  const reason = rule.finish ?? (rule.toolCalls.length > 0 ? 'tool-calls' : 'stop')
  yield { type: 'finish', finishReason: { unified: reason, raw: undefined }, usage: noUsage }
}

const noUsage: Extract<StreamPart, { type: 'finish' }>['usage'] = {
  inputTokens: { total: undefined, noCache: undefined, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: undefined, text: undefined, reasoning: undefined },
}

function untilAborted(signal: AbortSignal | undefined): Promise<never> {
  return new Promise((_, reject) => {
    const stop = (): void => reject(signal!.reason)
    if (signal?.aborted === true) stop()
    else signal?.addEventListener('abort', stop, { once: true })
  })
}

function scriptedError(error: NonNullable<ScriptedRule['error']>, file: string): Error {
  return new APICallError({
    message: error.message,
    url: `file:${file}`,
    requestBodyValues: {},
    statusCode: error.status,
    ...(error.retryAfter !== undefined && { responseHeaders: { 'retry-after': String(error.retryAfter) } }),
  })
}
