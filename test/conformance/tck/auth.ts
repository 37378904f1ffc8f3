import assert from 'node:assert/strict'
import { errorName, failsWith } from '../failures.ts'
import {
  type Check,
  getTask,
  needs,
  openTask,
  resultOf,
  type Scene,
  type SeenTask,
  sendTask,
  skip,
  stateOf,
  stream,
  taskIn,
  textOf,
  untilState,
} from '../scene.ts'
import type { Tokens } from '../subject.ts'
import { restRules } from '../wire/rest.ts'

function tokensOf({ subject }: Scene): Tokens {
  return subject.tokens ?? skip('the server lets everybody in')
}

const askForSignIn = { parts: [{ text: 'tck-auth-required' }] }

function signIn(scene: Scene): Promise<SeenTask> {
  return sendTask(scene, 'auth', askForSignIn)
}

/** A request by which an operation gets as far as to the question who asks. */
const about = { id: 'x', taskId: 'x', url: 'https://example.com/hook' }

/** Credentials and who sees what: AUTH of TCK 1.0, which has no test for it. */
export const auth: readonly Check[] = [
  {
    id: 'AUTH-TLS-001',
    level: 'MUST',
    title: 'addresses of the card are encrypted, but for those of this machine',
    on: 'once',
    run({ subject }) {
      const { supportedInterfaces } = subject.card as { supportedInterfaces: readonly { url: string }[] }
      const open = supportedInterfaces.filter(({ url }) => !/^(?:https|grpcs):/.test(url))
      const far = open.filter(({ url }) => !/^(?:http:\/\/)?(?:127\.|localhost|\[::1\])/.test(url))
      assert.deepEqual(far, [], 'an address that others reach is not encrypted')
      if (open.length > 0) skip('the server is on this machine, where encryption is not asked for')
    },
  },
  {
    id: 'AUTH-TLS-002',
    level: 'SHOULD',
    title: 'encryption is that of today',
    on: 'once',
    run: () => skip('the server is called without encryption'),
  },
  {
    id: 'AUTH-SERVER-001',
    level: 'SHOULD',
    title: 'clients verify the certificate of the server',
    on: 'once',
    run: () => skip('is about clients, and the server is called without encryption'),
  },
  {
    id: 'AUTH-SERVER-002',
    level: 'MUST',
    title: 'every operation asks for credentials, and says by which scheme',
    async run(scene) {
      tokensOf(scene)
      for (const token of [null, 'nonsense']) {
        const peer = scene.open(scene.peer.binding, { token })
        for (const operation of Object.keys(restRules).filter((name) => !/Stream|Subscribe/.test(name))) {
          const { error, http } = await peer.call(operation, about)
          assert.ok(error, `${operation} asks for nothing`)
          assert.equal(errorName({ ...scene, peer }, error), 'Unauthenticated', `${operation}: ${error.message}`)
          if (http === undefined) continue
          assert.equal(http.status, 401)
          assert.match(http.headers.get('www-authenticate') ?? '', /^Bearer/i)
        }
      }
    },
  },
  {
    id: 'AUTH-INTASK-001',
    level: 'MUST',
    title: 'a sign-in that is needed on the way is waited for in a task',
    async run(scene) {
      const { id } = await signIn(scene)
      assert.equal((await getTask(scene, id)).id, id)
    },
  },
  {
    id: 'AUTH-INTASK-002',
    level: 'MUST',
    title: 'the task is AUTH_REQUIRED',
    run: async (scene) => assert.equal((await signIn(scene)).status.state, 'TASK_STATE_AUTH_REQUIRED'),
  },
  {
    id: 'AUTH-INTASK-003',
    level: 'MUST',
    title: 'its status message says what is needed',
    run: async (scene) => assert.notEqual(textOf((await signIn(scene)).status.message), ''),
  },
  {
    id: 'AUTH-INTASK-004',
    level: 'MUST',
    title: 'credentials come another way',
    on: 'once',
    run: () => skip('happens where no caller can look'),
  },
  {
    id: 'AUTH-INTASK-005',
    level: 'SHOULD',
    title: 'streams stay open while somebody signs in',
    async run(scene) {
      needs(scene, 'streaming')
      const frames = await stream(scene, 'auth', askForSignIn)
      let event = await frames.next()
      const id = taskIn(event).id
      while (event !== undefined && stateOf(event) !== 'TASK_STATE_AUTH_REQUIRED') event = await frames.next()
      await sendTask(scene, 'auth', { message: { taskId: id }, parts: [{ text: 'signed in' }] })
      assert.equal(stateOf((await frames.rest()).at(-1)), 'TASK_STATE_COMPLETED')
    },
  },
  {
    id: 'AUTH-INTASK-006',
    level: 'SHOULD',
    title: 'messages are taken while somebody signs in',
    async run(scene) {
      const { id } = await signIn(scene)
      await sendTask(scene, 'auth', { message: { taskId: id }, parts: [{ text: 'signed in' }] })
      await untilState(scene, id, 'TASK_STATE_COMPLETED')
    },
  },
  {
    id: 'AUTH-SCOPE-001',
    level: 'MUST',
    title: 'nobody reads, cancels, follows or goes on with the task of another',
    async run(scene) {
      const { other } = tokensOf(scene)
      const { id } = await openTask(scene)
      const stranger = { ...scene, peer: scene.open(scene.peer.binding, { token: other }) }
      for (const operation of ['GetTask', 'CancelTask']) {
        failsWith(scene, 'TaskNotFound', (await stranger.peer.call(operation, { id })).error)
      }
      const frames = await stranger.peer.open('SubscribeToTask', { id })
      await frames.rest()
      failsWith(scene, 'TaskNotFound', frames.failure)
      assert.equal((await getTask(scene, id)).status.state, 'TASK_STATE_INPUT_REQUIRED')
    },
  },
  {
    id: 'AUTH-SCOPE-002',
    level: 'MUST',
    title: 'lists hold what belongs to the caller, with filters and without',
    async run(scene) {
      const { other } = tokensOf(scene)
      const { id, contextId } = await openTask(scene)
      const stranger = scene.open(scene.peer.binding, { token: other })
      for (const filter of [{}, { contextId }, { contextId, status: 'TASK_STATE_INPUT_REQUIRED' }]) {
        const { tasks } = resultOf(await stranger.call('ListTasks', filter)) as { tasks: readonly SeenTask[] }
        assert.ok(!tasks.some((task) => task.id === id), 'somebody else sees the task')
      }
      const { tasks } = resultOf(await scene.peer.call('ListTasks', { contextId })) as { tasks: readonly SeenTask[] }
      assert.deepEqual(
        tasks.map((task) => task.id),
        [id],
      )
    },
  },
  {
    id: 'AUTH-SCOPE-003',
    level: 'MUST',
    title: 'a task of another cannot be told from one that is not there',
    async run(scene) {
      const { other } = tokensOf(scene)
      const { id } = await openTask(scene)
      const stranger = scene.open(scene.peer.binding, { token: other })
      const seen = await Promise.all([id, crypto.randomUUID()].map((each) => stranger.call('GetTask', { id: each })))
      const [theirs, none] = seen.map(({ error }) => JSON.stringify({ ...error, id }).replaceAll(/[\da-f-]{36}/g, 'ID'))
      assert.equal(theirs, none)
    },
  },
]
