import assert from 'node:assert/strict'
import { isDeepStrictEqual } from 'node:util'
import { errorName } from '../failures.ts'
import { bindingsOf, type Check, doneTask, getTask, openTask, type Scene, send, skip, stream } from '../scene.ts'
import type { Answer, Json } from '../wire/peer.ts'

/** The same scene on every binding. */
function everywhere(scene: Scene): readonly Scene[] {
  const all = bindingsOf(scene)
  if (all.length < 2) skip('the server has one binding only')
  return all.map((binding) => ({ ...scene, peer: scene.open(binding) }))
}

/** An answer without what is different each time. */
function essence(value: unknown): unknown {
  const names = new Map<string, string>()
  const text = JSON.stringify(value ?? null)
    .replace(/-(?:jsonrpc|http\+json|grpc)"/g, '"')
    .replace(/[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/g, (id) => {
      if (!names.has(id)) names.set(id, `id ${names.size}`)
      return names.get(id) as string
    })
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'time')
    .replace(/(?<="nextPageToken":")[^"]+/g, 'token')
  return JSON.parse(text)
}

type Question = (scene: Scene) => Promise<unknown>

/** Asks on every binding, and wants one answer. */
async function same(scene: Scene, questions: Readonly<Record<string, Question>>): Promise<void> {
  const scenes = everywhere(scene)
  for (const [name, question] of Object.entries(questions)) {
    const answers: unknown[] = []
    for (const each of scenes) answers.push(essence(await question(each)))
    for (const [at, answer] of answers.entries()) {
      if (isDeepStrictEqual(answer, answers[0])) continue
      assert.deepEqual(
        answer,
        answers[0],
        `${name}: ${scenes[at]?.peer.binding} is not like ${scenes[0]?.peer.binding}`,
      )
    }
  }
}

const words = [
  'tck-complete-task',
  'tck-input-required',
  'tck-artifact-text',
  'tck-artifact-file',
  'tck-artifact-file-url',
  'tck-artifact-data',
  'tck-message-response',
  'tck-reject-task',
  'tck-stream-artifact-chunked',
]

const outcome = ({ value, error }: Answer): Json => (error ? { error: error.message } : { value })

const results: Readonly<Record<string, Question>> = {
  ...Object.fromEntries(words.map((word) => [word, async (scene) => outcome(await send(scene, word))] as const)),
  ...Object.fromEntries(
    words.map((word) => [`stream of ${word}`, async (scene) => (await stream(scene, word)).rest()] as const),
  ),
  'odd content': async (scene) => {
    const parts = [{ data: { n: [1, 1.5, null, 'ü', {}, []] } }, { raw: '-_8' }, { text: '' }]
    return outcome(await send(scene, 'tck-complete-task', { parts, message: { metadata: { 'a b': [0] } } }))
  },
  'a list': async (scene) => {
    const { contextId } = await doneTask(scene)
    return outcome(await scene.peer.call('ListTasks', { contextId, pageSize: 3, historyLength: 1 }))
  },
  'a cancellation': async (scene) => outcome(await scene.peer.call('CancelTask', { id: (await openTask(scene)).id })),
}

const nowhere = 'tck-nonexistent'

const errors: Readonly<Record<string, (scene: Scene) => Promise<Answer>>> = {
  'an unknown task': ({ peer }) => peer.call('GetTask', { id: nowhere }),
  'an unknown task to cancel': ({ peer }) => peer.call('CancelTask', { id: nowhere }),
  'a task that has ended': async (scene) => scene.peer.call('CancelTask', { id: (await doneTask(scene)).id }),
  'a message to an unknown task': (scene) => send(scene, 'tck-x', { message: { taskId: nowhere } }),
  'a message to a task that has ended': async (scene) =>
    send(scene, 'tck-x', { message: { taskId: (await doneTask(scene)).id } }),
  'a message to another conversation': async (scene) =>
    send(scene, 'tck-x', { message: { taskId: (await openTask(scene)).id, contextId: 'other' } }),
  'no message': ({ peer }) => peer.call('SendMessage', {}),
  'no parts': (scene) => send(scene, 'tck-x', { message: { parts: undefined } }),
  'no role': (scene) => send(scene, 'tck-x', { message: { role: undefined } }),
  'a media type': (scene) => send(scene, 'tck-x', { parts: [{ raw: 'dGNr', mediaType: 'application/x-odd' }] }),
  'a page that is too large': ({ peer }) => peer.call('ListTasks', { pageSize: 1000 }),
  'a token that is none': ({ peer }) => peer.call('ListTasks', { pageToken: 'x' }),
  'a history of less than nothing': ({ peer }) => peer.call('ListTasks', { historyLength: -1 }),
  'a configuration': ({ peer }) =>
    peer.call('CreateTaskPushNotificationConfig', { taskId: nowhere, url: 'https://example.com/hook' }),
  'the extended card': ({ peer }) => peer.call('GetExtendedAgentCard', {}),
  'a version': ({ peer }) => peer.call('GetTask', { id: nowhere }, { headers: { 'a2a-version': '99.0' } }),
}

/** One server, whichever way it is asked: BIND-EQUIV of TCK 1.0, which has no test for it. */
export const equal: readonly Check[] = [
  {
    id: 'BIND-EQUIV-001',
    level: 'MUST',
    title: 'every binding has every operation',
    on: 'once',
    async run(scene) {
      const operations = [
        'GetTask',
        'ListTasks',
        'CancelTask',
        'GetExtendedAgentCard',
        'ListTaskPushNotificationConfigs',
      ]
      await same(
        scene,
        Object.fromEntries(
          operations.map((operation) => [
            operation,
            async (each: Scene) => {
              const { error } = await each.peer.call(operation, { id: 'x', taskId: 'x' })
              return error === undefined ? 'answered' : errorName(each, error)
            },
          ]),
        ),
      )
    },
  },
  {
    id: 'BIND-EQUIV-002',
    level: 'MUST',
    title: 'the same request has the same result, and a task made here is seen there',
    on: 'once',
    async run(scene) {
      await same(scene, results)
      const scenes = everywhere(scene)
      for (const maker of scenes) {
        const task = await doneTask(maker)
        for (const reader of scenes) assert.deepEqual(await getTask(reader, task.id), task)
      }
    },
  },
  {
    id: 'BIND-EQUIV-003',
    level: 'MUST',
    title: 'the same mistake has the same error, in the spelling of the binding',
    on: 'once',
    async run(scene) {
      const named = (question: (scene: Scene) => Promise<Answer>) => async (each: Scene) => {
        const { error } = await question(each)
        if (error === undefined) return 'no error'
        const { message, details } = error
        return { name: errorName(each, error), message, details }
      }
      await same(scene, Object.fromEntries(Object.entries(errors).map(([name, question]) => [name, named(question)])))
    },
  },
  {
    id: 'BIND-EQUIV-004',
    level: 'MUST',
    title: 'every binding asks for the same credentials',
    on: 'once',
    async run(scene) {
      if (scene.subject.tokens === undefined) skip('the server lets everybody in')
      const { insufficient, other } = scene.subject.tokens
      for (const token of [null, 'nonsense', insufficient, other]) {
        await same(scene, {
          [`the token ${token}`]: async ({ peer, subject }) => {
            const named = scene.open(peer.binding, { token })
            const { error } = await named.call('ListTasks', {})
            return error === undefined ? 'let in' : errorName({ peer: named, subject }, error)
          },
        })
      }
    },
  },
]
