import { randomUUID } from 'node:crypto'
import {
  type Agent,
  type AgentOptions,
  agent,
  artifact,
  completed,
  type ExecutorState,
  failed,
  message,
  type TaskContext,
  type Yielded,
} from '../../src/engine/executor.ts'
import { type Deferred, deferred } from '../../src/lib/deferred.ts'
import type { Message } from '../../src/protocol/generated/v1/types.ts'

/** What one word of a script does; the text of the caller's message is the script, words apart by spaces. */
type Word = (task: TaskContext, args: readonly string[], state: ScriptState) => AsyncIterable<Yielded>

interface ScriptState {
  /** Whether the agent looks at its signal. */
  deaf: boolean
  chunks: number
}

/** A place in a script where the agent waits until the test lets it go on. */
export interface Gate {
  /** The word for a script. */
  readonly hold: string
  open(): void
}

const gates = new Map<string, Deferred<void>>()

/** Makes a gate, closed. */
export function createGate(): Gate {
  const name = randomUUID()
  const gate = deferred<void>()
  gates.set(name, gate)
  return { hold: `hold:${name}`, open: () => gate.resolve() }
}

/** Text in a word: `_` is a space, and percent-encoding gives what words cannot hold. */
function textOf(word: string | undefined): string {
  return decodeURIComponent((word ?? '').replaceAll('_', ' '))
}

function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) return resolve()
    const timer = setTimeout(done, ms)
    function done(): void {
      clearTimeout(timer)
      signal?.removeEventListener('abort', done)
      resolve()
    }
    signal?.addEventListener('abort', done)
  })
}

function stateOf(name: string | undefined): ExecutorState {
  return `TASK_STATE_${name}` as ExecutorState
}

async function* status(state: string | undefined, text: string | undefined): AsyncIterable<Yielded> {
  yield { kind: 'status', state: stateOf(state), ...(text !== undefined && { parts: [{ text: textOf(text) }] }) }
}

const words: Readonly<Record<string, Word>> = {
  // biome-ignore lint/correctness/useYield: a pause gives nothing.
  async *wait(task, [ms], { deaf }) {
    await pause(Number(ms), deaf ? undefined : task.signal)
  },
  async *hold(task, [name = ''], { deaf }) {
    const aborted = new Promise<void>((resolve) => task.signal.addEventListener('abort', () => resolve()))
    await Promise.race([gates.get(name)?.promise, ...(deaf ? [] : [aborted])])
  },
  status: (_task, [state, text]) => status(state, text),
  late: (_task, [state]) => status(state, 'late'),
  async *chunk(_task, [artifactId = '', text, ...flags], state) {
    state.chunks += 1
    yield artifact(textOf(text), {
      artifactId,
      metadata: { k: state.chunks, [`k${state.chunks}`]: true },
      ...(flags.includes('append') && { append: true }),
      ...(flags.includes('last') && { lastChunk: true }),
    })
  },
  /** So many chunks of a running number, as fast as they are taken. */
  async *chunks(_task, [artifactId = '', count]) {
    for (let number = 0; number < Number(count); number++) {
      yield artifact(`${number},`, { artifactId, append: number > 0, lastChunk: number === Number(count) - 1 })
    }
  },
  async *message(_task, [text]) {
    yield message(textOf(text))
  },
  async *done(_task, [text]) {
    yield text === undefined ? completed() : completed(textOf(text))
  },
  async *fail(_task, [text]) {
    yield failed(textOf(text ?? 'failed'))
  },
  // biome-ignore lint/correctness/useYield: it throws instead.
  async *throw() {
    throw new Error('the cause, as in /srv/agent/secret.ts:12')
  },
  // biome-ignore lint/correctness/useYield: it only changes how the rest is run.
  async *nocancel(_task, _args, state) {
    state.deaf = true
  },
  /** A whole task instead of an event. */
  async *task({ id, contextId }, [state]) {
    yield { id, contextId, status: { state: stateOf(state) } } as unknown as Yielded
  },
  /** Everything after the script comes back: the other parts, the metadata of the message and of the request. */
  async *echo({ message: { parts, metadata = {} }, metadata: request }) {
    const rest = parts.slice(1)
    const artifactId = 'echo'
    yield artifact(rest.length > 0 ? rest : 'nothing', { artifactId, metadata: { message: metadata, request } })
  },
  /** The next message that arrives while this one is at work, as text. */
  async *read(task) {
    for await (const next of task.messages) {
      yield `read ${next.parts[0]?.text}`
      return
    }
  },
}

async function* play(task: TaskContext): AsyncIterable<Yielded> {
  const state: ScriptState = { deaf: false, chunks: 0 }
  for (const word of scriptOf(task.message)) {
    if (task.signal.aborted && !state.deaf) return
    const [name = '', ...args] = word.split(':')
    const act = words[name]
    if (act === undefined) throw new Error(`there is no word ${name}`)
    yield* act(task, args, state)
  }
}

function scriptOf(given: Message): string[] {
  return (given.parts[0]?.text ?? '').split(' ').filter((word) => word !== '')
}

/** The same, from an author who goes on giving events when told to stop. */
function stubborn(task: TaskContext): AsyncIterable<Yielded> {
  const events = play(task)[Symbol.asyncIterator]()
  const iterator: AsyncIterator<Yielded> = { next: () => events.next() }
  return { [Symbol.asyncIterator]: () => iterator }
}

/** An agent that does what the first part of a message says: `wait:50 chunk:a:x done`. */
export function scriptedAgent(options: Partial<AgentOptions> = {}): Agent {
  return agent({
    name: 'scripted',
    description: 'Does what the message says.',
    version: '1.0.0',
    inputModes: ['text/plain', 'application/json'],
    run: (task) => (scriptOf(task.message).some((word) => word.startsWith('late:')) ? stubborn(task) : play(task)),
    ...options,
  })
}
