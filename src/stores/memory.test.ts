import { describe, expect, test } from 'vitest'
import { createMemoryDatabase, openMemoryStore } from './memory.ts'
import { clusterContract, storeContract } from './testing.ts'
import { memoryDatabase } from './testing-databases.ts'
import { message, scope, storeTask } from './testing-entries.ts'

storeContract('memory', async () => ({ store: openMemoryStore() }), { describe, test })
storeContract('memory for several processes', async () => ({ store: createMemoryDatabase().open() }), {
  describe,
  test,
})
clusterContract('memory', memoryDatabase, { describe, test })

test('a store in memory that is killed does nothing any more, and leaves its tasks to others', async () => {
  const database = createMemoryDatabase()
  const [dying, other] = [database.open(), database.open()]
  let told = 0
  dying.listen({ mail() {}, abandoned() {}, lost: () => told++ })
  const log = await storeTask(dying, 't', { entries: [message(1, 'one')], release: false })
  database.kill(dying)
  await expect(log.append([message(2, 'late')])).rejects.toMatchObject({ code: 'Unavailable' })
  await expect(dying.head(scope, 't')).rejects.toMatchObject({ code: 'Unavailable' })
  expect(await other.abandoned(scope.agent, 9)).toEqual([{ scope, id: 't' }])
  expect(await other.claim(scope, 't')).toMatchObject({ left: 'begun', head: { seq: 1 } })
  expect(told).toBe(0)
})

test('a store in memory for one process keeps no order among keys, which its engine does', () => {
  const { reserve, forget } = openMemoryStore()
  expect([reserve, forget]).toEqual([undefined, undefined])
})
