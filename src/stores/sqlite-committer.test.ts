import { expect, test } from 'vitest'
import type { AppendUnit, Hold } from './commit-queue.ts'
import { BatchBuilder } from './sqlite-batch.ts'
import { Committer } from './sqlite-committer.ts'
import { sqliteDriver } from './sqlite-driver.ts'
import { inMemory } from './sqlite-file.ts'
import { thisProcess } from './sqlite-lease.ts'
import { message, scope } from './testing-entries.ts'

const driver = await sqliteDriver()

function unit(number: number, id: string): AppendUnit {
  const task = { scope, id, contextId: 'c' }
  const hold: Hold = { number, scope, id, task, seq: 0, appended: 1, released: false, epoch: 0 }
  const rest = { idempotency: [], accepted: [], release: false, waiting: false } as const
  return { kind: 'append', hold, entries: [message(1, id)], ...rest }
}

test('a batch of a process that was taken for dead is refused, and what it named is known to later ones', () => {
  const lease = { heartbeat: 60_000, expires: 15_000 }
  const committer = new Committer(driver, { path: inMemory, self: thisProcess(), lease })
  try {
    const builder = new BatchBuilder()
    builder.append(unit(1, 'late'))
    const late = { kind: 'commit', batch: builder.take(), process: committer.process - 1 } as const
    expect(committer.answer(late)).toEqual({ lost: committer.process })
    builder.append(unit(2, 'new'))
    const batch = builder.take()
    expect(batch.strings).not.toContain(scope.owner)
    expect(committer.answer({ kind: 'commit', batch, process: committer.process })).toEqual({ results: null })
    expect(
      committer.connection.statement('select id, owner from task join scope on task.scope = scope.key').all(),
    ).toEqual([{ id: 'new', owner: scope.owner }])
  } finally {
    committer.answer({ kind: 'close' })
  }
})
