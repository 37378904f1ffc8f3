import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { describe, expect, test } from 'vitest'
import { Connection, sqliteDriver } from './sqlite-driver.ts'
import { inMemory, openForWriting } from './sqlite-file.ts'
import { enter, isAlive, leave, lives, livingProcesses, type ProcessMark, sign, thisProcess } from './sqlite-lease.ts'

const self = thisProcess()
const now = 1_000_000
const options = { expires: 15_000, now }

describe('a process counts as alive', () => {
  const elsewhere: ProcessMark = { ...self, host: 'elsewhere' }
  const rows: [string, ProcessMark & { heartbeat: number }, boolean][] = [
    ['here, and it has just signed', { ...self, heartbeat: now }, true],
    ['here, but silent too long', { ...self, heartbeat: now - 15_001 }, false],
    ['here, with a number that nobody has', { ...self, pid: 2 ** 22 + 1, heartbeat: now }, false],
    [
      'elsewhere, with a number that nobody has here',
      { ...elsewhere, pid: 2 ** 22 + 1, heartbeat: now - 14_999 },
      true,
    ],
    ['elsewhere, but silent too long', { ...elsewhere, heartbeat: now - 15_001 }, false],
    ['in another space of numbers', { ...self, namespace: 'pid:[1]', pid: 2 ** 22 + 1, heartbeat: now }, true],
  ]
  for (const [name, row, expected] of rows) {
    test(name, () => expect(isAlive(row, self, options)).toBe(expected))
  }

  test('where the platform tells no start, by its number alone', () => {
    const plain = { ...self, start: '', namespace: '' }
    expect(isAlive({ ...plain, heartbeat: now }, plain, options)).toBe(true)
    expect(isAlive({ ...plain, pid: 2 ** 22 + 1, heartbeat: now }, plain, options)).toBe(false)
  })

  test('unless its number has been given to another process', () => {
    if (self.start === '') return
    expect(isAlive({ ...self, start: 'boot:1', heartbeat: now }, self, options)).toBe(false)
  })

  test('until it ends', async () => {
    const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'])
    const mark = { ...self, start: self.start === '' ? '' : 'unknown', pid: child.pid ?? 0, heartbeat: now }
    const plain = { ...self, start: '' }
    expect(isAlive({ ...mark, start: '' }, plain, options)).toBe(true)
    child.kill('SIGKILL')
    await once(child, 'exit')
    expect(isAlive(mark, self, options)).toBe(false)
    expect(isAlive({ ...mark, start: '' }, plain, options)).toBe(false)
  })
})

test('processes enter, sign, are missed and leave', async () => {
  const connection = openForWriting(await sqliteDriver(), inMemory)
  expect(connection).toBeInstanceOf(Connection)
  const lease = { self, expires: 15_000 }
  const first = enter(connection, lease)
  const second = enter(connection, lease)
  expect(livingProcesses(connection, lease)).toEqual([first, second])
  leave(connection, second)
  expect(lives(connection, second, lease)).toBe(false)
  connection.database.exec(`update process set heartbeat = ${Date.now() - 20_000}`)
  expect(livingProcesses(connection, lease)).toEqual([])
  const third = enter(connection, lease)
  expect(third).toBeGreaterThan(second)
  expect(connection.statement('select id from process').all()).toEqual([{ id: third }])
  expect(sign(connection, first)).toBe(false)
  expect(lives(connection, first, lease)).toBe(false)
  expect(sign(connection, third)).toBe(true)
  connection.close()
})
