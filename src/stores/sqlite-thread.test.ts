import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { CommitterRequest } from './sqlite-committer.ts'
import { sqliteDriver } from './sqlite-driver.ts'
import { prepareFile } from './sqlite-file.ts'
import { leaseTimes, thisProcess } from './sqlite-lease.ts'
import { committerThread } from './sqlite-thread.ts'

let folder: string
const driver = (await sqliteDriver()).name as 'node' | 'photostructure'

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'parlance-'))
})

afterEach(() => rmSync(folder, { recursive: true }))

async function start() {
  const path = prepareFile(join(folder, 'tasks.db'))
  const port = await committerThread({ path, driver, self: thisProcess(), lease: leaseTimes })
  if (port === undefined) throw new Error('the thread has no file')
  return port
}

const nothing: CommitterRequest = { kind: 'commit', process: 1, batch: { numbers: [], strings: [] } }

test('a thread that dies rejects what it was asked, and says so from then on', async () => {
  const port = await start()
  expect(await port.ask(nothing)).toEqual({ results: null })
  // A question that is none is more than the thread can bear. What it answered before, it may or may not have sent.
  const asked = [undefined as never, nothing, nothing].map((request) => port.ask(request))
  const [, ...after] = await Promise.allSettled(asked)
  const dead = { code: 'Unavailable', message: expect.stringContaining('its thread has stopped') }
  for (const answer of after) expect(answer).toMatchObject({ status: 'rejected', reason: dead })
  await expect(port.ask(nothing)).rejects.toMatchObject(dead)
  await port.end()
})

test('a thread answers in order and ends when it is closed', async () => {
  const port = await start()
  const purge = { kind: 'purge', limits: {}, place: { scope: 1, phase: 'mail' } } as const
  const answers = await Promise.all([port.ask(nothing), port.ask(purge), port.ask({ kind: 'close' })])
  expect(answers).toEqual([{ results: null }, { rows: 0, next: null }, { results: null }])
  await port.end()
  const again = await start()
  expect(again.process).toBe(port.process + 1)
  await again.ask({ kind: 'close' })
  await again.end()
})
