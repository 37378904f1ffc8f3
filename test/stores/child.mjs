// A process of its own with a task store, told by its arguments what to do; see processes.test.ts.
import { createJiti } from 'jiti'

const [path, driver, job] = process.argv.slice(2)
const { openSqliteStore } = await createJiti(import.meta.url).import('../../src/stores/sqlite.ts')
const scope = { agent: 'agent', tenant: '', owner: 'ada' }
const say = (line) => process.stdout.write(`${line}\n`)

const store = await openSqliteStore({
  path,
  driver,
  ...(job === 'frozen' && { thread: 'main', lease: { heartbeat: 60_000, expires: 400 } }),
})
const entries = (name) => [
  { kind: 'message', seq: 1, text: `{"messageId":"${name}"}` },
  { kind: 'status', seq: 2, state: 'TASK_STATE_WORKING', time: Date.now() },
  {
    kind: 'chunk',
    seq: 3,
    artifact: 0,
    head: '{"artifactId":"a"}',
    append: false,
    lastChunk: false,
    plain: true,
    parts: name,
  },
]

if (job === 'write') {
  // Says what is durable, and goes on until it is killed.
  let count = 0
  const write = async () => {
    for (;;) {
      const id = `${process.pid}-${count++}`
      const log = store.create({ scope, id, contextId: 'c' })
      await log.append(entries(id))
      say(`stored ${id}`)
      await log.append([{ kind: 'status', seq: 4, state: 'TASK_STATE_COMPLETED', time: Date.now() }], { release: true })
      say(`ended ${id}`)
    }
  }
  if (process.argv[5] === 'exit') setTimeout(() => process.exit(3), 50)
  await Promise.all(Array.from({ length: 8 }, write))
} else if (job === 'hold' || job === 'frozen') {
  const log = store.create({ scope, id: job, contextId: 'c' })
  await log.append(entries(job))
  say('holding')
  process.stdin.on('data', async () => {
    const message = await log.append([{ kind: 'message', seq: 4, text: '{"late":1}' }]).then(
      () => 'written',
      (error) => `${error.code}: ${error.message}`,
    )
    say(message)
  })
} else if (job === 'open') {
  say('open')
  await store.close()
}
