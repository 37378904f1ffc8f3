import { afterAll, beforeAll, expect, test } from 'vitest'
import { createFolder, type Folder, userMessage } from '../../test/agent/kit.ts'
import { createEngine, type Engine } from '../engine/engine.ts'
import type { Store } from '../engine/store.ts'
import type { CallContext } from '../protocol/endpoint.ts'
import type { Message, SendMessageRequest, StreamResponse, Task } from '../protocol/generated/v1/types.ts'
import { openMemoryStore } from '../stores/memory.ts'
import { loadAgentFile } from './load.ts'

let folder: Folder

beforeAll(async () => {
  folder = await createFolder()
})
afterAll(() => folder.remove())

const context: CallContext = { version: '1.0', tenant: '', owner: 'ann', extensions: [], headers: {} }

const script = `
rules:
  - { when: { text: "^wait" }, reply: started, hang: true }
  - { when: { text: "^break" }, reply: [half, more], error: { status: 500, after: 1 } }
  - { when: { turn: 1 }, reply: [po, ng] }
default: { reply: "turn {{turn}}" }
`

async function withEngine(store: Store, work: (engine: Engine) => Promise<void>, more = ''): Promise<void> {
  const path = await folder.write(
    'pong.yaml',
    `agents: { root: { model: ollama/x, description: Answers pong.${more} } }`,
  )
  const fake = await folder.write('pong.fake.yaml', script)
  const agent = await loadAgentFile(path, { env: {}, fake, sleep: async () => {} })
  const engine = createEngine({ agent, store })
  await engine.start()
  try {
    await work(engine)
  } finally {
    await engine.close()
  }
}

async function send(
  engine: Engine,
  message: Message,
  configuration: SendMessageRequest['configuration'] = {},
): Promise<Task> {
  const reply = await engine.unary({ operation: 'SendMessage', request: { message, configuration }, context })
  return reply.result.value.task!
}

async function stream(
  engine: Engine,
  message: Message,
  seen?: (frame: StreamResponse) => void,
): Promise<readonly StreamResponse[]> {
  const frames: StreamResponse[] = []
  const { events } = await engine.stream({ operation: 'SendStreamingMessage', request: { message }, context })
  for await (const group of events) {
    for (const frame of group) {
      frames.push(frame.value)
      seen?.(frame.value)
    }
  }
  return frames
}

function answerOf(task: Task): string {
  return (task.artifacts ?? [])
    .map((artifact) => artifact.parts.map((part) => part.text ?? JSON.stringify(part.data)).join(''))
    .join('|')
}

test('an answer streams as one artifact in pieces', async () => {
  await withEngine(openMemoryStore(), async (engine) => {
    const frames = await stream(engine, userMessage('ping'))
    const artifacts = frames.flatMap((frame) => frame.artifactUpdate ?? [])
    expect(new Set(artifacts.map((update) => update.artifact.artifactId)).size).toBe(1)
    expect(artifacts.map((update) => [update.append ?? false, update.artifact.parts])).toEqual([
      [false, [{ text: 'po' }]],
      [true, [{ text: 'ng' }]],
    ])
    expect(frames.at(-1)?.statusUpdate?.status.state).toBe('TASK_STATE_COMPLETED')
  })
})

test('a conversation goes on in its context, also after a restart', async () => {
  const store = openMemoryStore()
  let contextId = ''
  await withEngine(store, async (engine) => {
    const first = await send(engine, userMessage('ping'))
    expect(first.status.state).toBe('TASK_STATE_COMPLETED')
    expect(first.artifacts).toHaveLength(1)
    expect(first.artifacts?.[0]?.parts).toEqual([{ text: 'pong' }])
    contextId = first.contextId!
    expect(answerOf(await send(engine, userMessage('again', { contextId })))).toBe('turn 2')
  })
  await withEngine(store, async (engine) => {
    expect(answerOf(await send(engine, userMessage('again', { contextId })))).toBe('turn 3')
    expect(answerOf(await send(engine, userMessage('again')))).toBe('pong')
  })
})

test('what was said before an error is kept', async () => {
  await withEngine(openMemoryStore(), async (engine) => {
    const task = await send(engine, userMessage('break'))
    expect(task.status.state).toBe('TASK_STATE_FAILED')
    expect(task.status.message?.parts[0]?.text).toBe(
      'The model script pong.fake.yaml failed: HTTP 500, the provider failed (scripted error)',
    )
    expect(answerOf(task)).toBe('half')
  })
})

test('a cancel stops the model and keeps what was said', async () => {
  await withEngine(openMemoryStore(), async (engine) => {
    let canceled: Promise<unknown> | undefined
    const frames = await stream(engine, userMessage('wait'), (frame) => {
      const id = frame.artifactUpdate?.taskId
      if (id !== undefined) canceled = engine.unary({ operation: 'CancelTask', request: { id }, context })
    })
    await canceled
    expect(frames.at(-1)?.statusUpdate?.status.state).toBe('TASK_STATE_CANCELED')
  })
})

test('JSON answers are data parts, and a caller that takes neither JSON nor text is told so', async () => {
  const structured = ', structured_output: { schema: { type: object } }'
  await withEngine(
    openMemoryStore(),
    async (engine) => {
      const task = await send(engine, userMessage('break'), { acceptedOutputModes: ['image/png'] })
      expect(task.status.state).toBe('TASK_STATE_REJECTED')
      expect(task.status.message?.parts[0]?.text).toContain('the caller accepts only image/png')
      expect((await send(engine, userMessage('ping'))).status.message?.parts[0]?.text).toBe(
        'The model was asked for JSON and gave text that is not valid JSON',
      )
    },
    structured,
  )
})

test('a picture for an agent without eyes is refused before a task exists (AMB-12)', async () => {
  await withEngine(openMemoryStore(), async (engine) => {
    await expect(send(engine, userMessage([{ raw: 'AA==', mediaType: 'image/png' }]))).rejects.toMatchObject({
      code: 'ContentTypeNotSupported',
    })
  })
})
