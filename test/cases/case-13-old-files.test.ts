import { copyFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Task } from '../../src/protocol/generated/v1/types.ts'
import { openSqliteStore } from '../../src/stores/sqlite.ts'
import { type SqliteDatabase, sqliteDriver } from '../../src/stores/sqlite-driver.ts'
import { temporaryFolder, until } from '../harness.ts'
import { openStream, shapes } from './raw-stream.ts'
import { createGate, scriptedAgent } from './scripted-agent.ts'
import { type Served, serve } from './served.ts'
import { atOnce, bindingNames, callerOf, sendRequest } from './wire.ts'

/** Changes a database file behind the back of the store. */
async function edit(path: string, change: (database: SqliteDatabase) => void): Promise<void> {
  const database = (await sqliteDriver()).open(path)
  try {
    change(database)
  } finally {
    database.close()
  }
}

interface Filled {
  readonly path: string
  readonly ids: Readonly<Record<'done' | 'asking' | 'broken', string>>
}

/** A file with three tasks, written by a server that is gone. */
async function filledFile(): Promise<Filled> {
  const served = await serve({ store: 'sqlite' })
  const caller = callerOf(served, 'JSONRPC')
  const done = await caller.send('chunk:a:x done')
  const asking = await caller.send('chunk:a:x status:INPUT_REQUIRED:which?')
  const broken = await caller.send('status:WORKING:w chunk:a:x status:INPUT_REQUIRED:which?')
  await served.close()
  return { path: served.path, ids: { done: done.id, asking: asking.id, broken: broken.id } }
}

const task = (id: string): string => `(select key from task where id = '${id}')`
const rows = (id: string): string => `id > ${task(id)} * 4194304 and id < (${task(id)} + 1) * 4194304`

/** What makes one task unreadable, in SQL, given its id. */
const damages: readonly (readonly [name: string, sql: (id: string) => string])[] = [
  ['a state that this version does not know', (id) => `update task set state = 99 where id = '${id}'`],
  ['a message that is no JSON object', (id) => `update message set text = 'hello' where ${rows(id)}`],
  ['a message that was cut', (id) => `update message set text = substr(text, 1, 30) where ${rows(id)}`],
  ['a message of nothing', (id) => `update message set text = '' where ${rows(id)}`],
  ['an artifact whose head is gone', (id) => `update chunk set head = null where ${rows(id)}`],
  ['an artifact whose head is no object', (id) => `update chunk set head = '7' where ${rows(id)}`],
  ['an artifact at a place far out', (id) => `update chunk set artifact = 5 where ${rows(id)}`],
  ['metadata that is no object', (id) => `update task set metadata = '[1]' where id = '${id}'`],
]

describe.each(bindingNames)('over %s', (binding) => {
  it.each(damages)(
    'Case 13: %s costs that task and no other, and the log tells which (ERR-34, LIST-18)',
    async (_, sql) => {
      const { path, ids } = await filledFile()
      await edit(path, (database) => database.exec(sql(ids.broken)))
      const served = await serve({ store: 'sqlite', path })
      const caller = callerOf(served, binding)
      for (const includeArtifacts of [false, true]) {
        const page = await caller.ok<{ tasks: Task[]; nextPageToken: string }>('ListTasks', { includeArtifacts })
        const listed = page.tasks.map(({ id }) => id)
        expect(listed.filter((id) => id !== ids.broken)).toEqual([ids.asking, ids.done])
        expect(page.nextPageToken).toBe('')
      }
      const walked: string[] = []
      for (let pageToken: string | undefined = ''; pageToken !== undefined; ) {
        const request: Record<string, unknown> = {
          pageSize: 1,
          includeArtifacts: true,
          ...(pageToken && { pageToken }),
        }
        const page = await caller.ok<{ tasks: Task[]; nextPageToken: string }>('ListTasks', request)
        walked.push(...page.tasks.map(({ id }) => id))
        pageToken = page.nextPageToken || undefined
      }
      expect(walked.filter((id) => id !== ids.broken)).toEqual([ids.asking, ids.done])
      const { error, text, status } = await caller.call('GetTask', { id: ids.broken })
      expect([status, error?.code]).toEqual(binding === 'JSONRPC' ? [200, -32603] : [500, 500])
      expect(text).not.toMatch(/sqlite|JSON\.|\bat |\.ts/i)
      expect(served.log.some(({ level, fields }) => level === 'error' && fields.task === ids.broken)).toBe(true)
      for (const operation of ['CancelTask', 'SubscribeToTask']) await caller.call(operation, { id: ids.broken })
      await caller.call('SendMessage', sendRequest('done', { message: { taskId: ids.broken } }))
      expect((await caller.send('chunk:b:y done', { message: { taskId: ids.asking } })).status.state).toBe(
        'TASK_STATE_COMPLETED',
      )
      expect((await caller.get(ids.done)).status.state).toBe('TASK_STATE_COMPLETED')
    },
  )

  it('Case 13: columns, tables and members that a later version added do not disturb (DM-05)', async () => {
    const { path, ids } = await filledFile()
    await edit(path, (database) => {
      database.exec(
        'alter table task add column priority integer not null default 3; create table later (a text) strict',
      )
      database.exec(`update message set text = json_set(text, '$.later', json('{"a":1}')) where ${rows(ids.asking)}`)
    })
    const served = await serve({ store: 'sqlite', path })
    const caller = callerOf(served, binding)
    const { tasks } = await caller.ok<{ tasks: Task[] }>('ListTasks', {})
    expect(tasks.map(({ id }) => id)).toEqual([ids.broken, ids.asking, ids.done])
    const stream = await openStream(caller, 'SubscribeToTask', { id: ids.asking })
    await caller.send('done', { message: { taskId: ids.asking } })
    expect(shapes(await stream.rest())).toEqual(['task INPUT_REQUIRED', 'COMPLETED'])
    expect((await caller.send('chunk:a:new')).status.state).toBe('TASK_STATE_COMPLETED')
  })

  it('Case 13: a task of a process that was killed is not left at work for ever', async () => {
    const first = await serve({ store: 'sqlite' })
    const gate = createGate()
    const { id } = await callerOf(first, binding).send(`status:WORKING chunk:a:x ${gate.hold} done`, atOnce)
    await until(async () => (await callerOf(first, binding).get(id)).artifacts !== undefined)
    const path = join(await temporaryFolder(), 'copy.db')
    // What a crash leaves: the file with its log of changes, and a holder that no process is.
    for (const end of ['', '-wal']) copyFileSync(first.path + end, path + end)
    await edit(path, (database) => database.exec("update process set pid = 4194304, start = 'gone'"))
    gate.open()
    const second = await serve({ store: 'sqlite', path })
    const { status, artifacts } = await callerOf(second, binding).get(id)
    expect([status.state, artifacts?.[0]?.parts]).toEqual(['TASK_STATE_FAILED', [{ text: 'x' }]])
    expect(status.message?.parts[0]?.text).toContain('stopped')
  })
})

it.each(damages)('Case 13: %s, in a task that a process died over, keeps no server from starting', async (_, sql) => {
  const { path, ids } = await filledFile()
  await edit(path, (database) => {
    database.exec(sql(ids.broken))
    database.exec(`update task set holder = 12345, state = 2 where id = '${ids.asking}'`)
    database.exec(`update task set holder = 12345 where id = '${ids.broken}'`)
  })
  for (const resumable of [false, true]) {
    const served = await serve({ store: 'sqlite', path, agent: scriptedAgent({ resumable }) })
    const caller = callerOf(served, 'JSONRPC')
    const { state } = (await caller.get(ids.asking)).status
    expect(['TASK_STATE_FAILED', 'TASK_STATE_INPUT_REQUIRED']).toContain(state)
    expect((await caller.call('CancelTask', { id: ids.broken })).status).toBe(200)
    await served.close()
  }
})

it('Case 13: two servers at once on a file that is not there yet, each with its own thread', async () => {
  const path = join(await temporaryFolder(), 'new', 'tasks.db')
  const open = (): Promise<Served> => serve({ store: 'sqlite', path, sqlite: { thread: 'worker' } })
  const [first, second, third] = await Promise.all([open(), open(), open()])
  const made = await Promise.all([first, second, third].map((served) => callerOf(served, 'JSONRPC').send('chunk:a:x')))
  const { tasks } = await callerOf(second, 'HTTP+JSON').ok<{ tasks: Task[] }>('ListTasks', {})
  expect(tasks.map(({ id }) => id).sort()).toEqual(made.map(({ id }) => id).sort())
})

it('Case 13: opening a file again and again changes nothing in it', async () => {
  const { path, ids } = await filledFile()
  const seen = new Set<string>()
  for (let time = 0; time < 3; time++) {
    const served = await serve({ store: 'sqlite', path })
    seen.add((await callerOf(served, 'HTTP+JSON').call('ListTasks', { includeArtifacts: true })).text)
    await served.close()
  }
  expect(seen.size).toBe(1)
  expect([...seen][0]).toContain(ids.broken)
})

const refusals: readonly (readonly [name: string, spoil: (path: string) => Promise<void>, text: RegExp])[] = [
  [
    'a newer program',
    (path) => edit(path, (database) => database.exec('pragma user_version = 99')),
    /version 99.*newer/,
  ],
  [
    'another program',
    (path) => edit(path, (database) => database.exec('pragma application_id = 7')),
    /another program/,
  ],
  [
    'nobody: it is text',
    async (path) => writeFileSync(path, 'a diary, not a database, which is kept as it is'),
    /not a SQLite database/,
  ],
]
it.each(refusals)(
  'Case 13: a file of %s is refused before anything listens, and stays as it was',
  async (_, spoil, text) => {
    const { path } = await filledFile()
    await spoil(path)
    for (const thread of ['main', 'worker'] as const) {
      await expect(openSqliteStore({ path, thread })).rejects.toThrow(text)
      await expect(openSqliteStore({ path, thread })).rejects.toThrow(path)
    }
  },
)
