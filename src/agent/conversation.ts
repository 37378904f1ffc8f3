import type { ModelMessage } from 'ai'
import type { TaskContext } from '../engine/executor.ts'
import type { Part, Task } from '../protocol/generated/v1/types.ts'
import { type Content, convertPart, type ModelModes, textOf } from './parts.ts'

/** How a conversation is put together. */
export interface ConversationOptions {
  readonly modes: ModelModes
  /** How many earlier messages the model sees; 0 for all. */
  readonly historyItems: number
  /** Replaces the text of a user message, for commands. */
  expand(text: string): string
}

/** The messages for the model, or why the newest one cannot be answered. */
export type Conversation = { readonly messages: readonly ModelMessage[] } | { readonly refused: string }

interface Turn {
  readonly role: 'user' | 'assistant'
  readonly content: readonly Content[]
}

const mostTasks = 100
const ongoing: ReadonlySet<string> = new Set(['TASK_STATE_SUBMITTED', 'TASK_STATE_WORKING', 'TASK_STATE_UNSPECIFIED'])

/** Everything said in the context of a task, oldest first, and its newest message. It is read from the store, so it outlives a restart. */
export async function conversationOf(task: TaskContext, options: ConversationOptions): Promise<Conversation> {
  const { modes, historyItems, expand } = options
  const content: Content[] = []
  for (const part of task.message.parts) {
    const converted = convertPart(expanded(part, expand), modes)
    if ('refused' in converted) return converted
    content.push(converted.content)
  }
  const [referenced, tasks, current] = await Promise.all([
    task.message.referenceTaskIds?.length ? task.references() : [],
    task.context.tasks(historyItems > 0 ? Math.min(historyItems, mostTasks) : mostTasks),
    task.history.length > 0 ? task.task() : undefined,
  ])
  const earlier = tasks.filter((each) => each.id !== task.id && !ongoing.has(each.status.state))
  const turns = earlier.flatMap((each) => turnsOf(each, options))
  if (current !== undefined) turns.push(...turnsOf({ ...current, history: task.history }, options))
  const notes = referenced.filter((each) => each.contextId !== task.contextId).map(referenceNote)
  const kept = historyItems > 0 ? turns.slice(-historyItems) : turns
  return { messages: merged([...kept, { role: 'user', content: [...notes, ...content] }]).map(asMessage) }
}

/** A file's agent gives one artifact for each message it answers, so the two are paired by their order. */
function turnsOf(task: Task, options: ConversationOptions): readonly Turn[] {
  const asked = (task.history ?? []).filter((message) => message.role === 'ROLE_USER')
  const given = (task.artifacts ?? []).map((artifact) => textOf(artifact.parts))
  if (given.length === 0 && task.status.state !== 'TASK_STATE_FAILED')
    given.push(textOf(task.status.message?.parts ?? []))
  const turns: Turn[] = []
  for (const [index, message] of asked.entries()) {
    const content = message.parts.map((part): Content => {
      const converted = convertPart(expanded(part, options.expand), options.modes)
      return 'content' in converted
        ? converted.content
        : { type: 'text', text: `[${part.filename ?? part.mediaType ?? 'a file'} left out]` }
    })
    turns.push({ role: 'user', content })
    const last = index === asked.length - 1
    const text = (last ? given.slice(index) : given.slice(index, index + 1)).join('\n')
    if (text !== '') turns.push({ role: 'assistant', content: [{ type: 'text', text }] })
  }
  return turns
}

function expanded(part: Part, expand: (text: string) => string): Part {
  return part.text === undefined ? part : { ...part, text: expand(part.text) }
}

function referenceNote(task: Task): Content {
  const text = (task.artifacts ?? []).map((artifact) => textOf(artifact.parts)).join('\n')
  return { type: 'text', text: `Result of the task ${task.id}:\n${text}` }
}

/** Joins neighbours of one role, which some servers refuse, and drops answers whose question is not in sight. */
function merged(turns: readonly Turn[]): readonly Turn[] {
  const result: Turn[] = []
  for (const turn of turns) {
    const before = result.at(-1)
    if (before === undefined && turn.role === 'assistant') continue
    if (before?.role === turn.role)
      result[result.length - 1] = { role: turn.role, content: [...before.content, ...turn.content] }
    else result.push(turn)
  }
  return result
}

function asMessage(turn: Turn): ModelMessage {
  const texts = turn.content.filter((content) => content.type === 'text')
  if (texts.length < turn.content.length) return { role: 'user', content: [...turn.content] }
  return { role: turn.role, content: texts.map((content) => content.text).join('\n') }
}
