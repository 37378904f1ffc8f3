import { connect, type Socket } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { FrontDoors, type Taker } from './front-doors.ts'

const place = { door: 1, address: { kind: 'tcp', host: '127.0.0.1', port: 0 } } as const

let doors: FrontDoors
const sockets: Socket[] = []
const takers: FakeTaker[] = []
afterEach(async () => {
  await doors.close()
  for (const taker of takers.splice(0)) await doors.gone(taker)
  for (const socket of sockets.splice(0)) socket.destroy()
})

interface FakeTaker extends Taker {
  readonly taken: Socket[]
}

/** A worker that takes what it gets, leaves it unanswered, or refuses it. */
function createTaker(mood: 'takes' | 'is stuck' | 'refuses' = 'takes'): FakeTaker {
  const taken: Socket[] = []
  const taker: FakeTaker = {
    taken,
    incoming: new Map(),
    give(_, socket, gone) {
      taken.push(socket)
      sockets.push(socket)
      if (mood !== 'is stuck') setImmediate(gone, mood === 'refuses' ? new Error('gone') : null)
    },
  }
  takers.push(taker)
  return taker
}

async function callers(port: number, count: number): Promise<readonly Socket[]> {
  const made: Socket[] = []
  for (let index = 0; index < count; index++) {
    const socket = connect(port, '127.0.0.1')
    socket.on('error', () => {})
    sockets.push(socket)
    await new Promise<void>((resolve) => socket.once('connect', resolve))
    made.push(socket)
  }
  return made
}

async function until(check: () => boolean): Promise<void> {
  while (!check()) await new Promise((resolve) => setTimeout(resolve, 5))
}

const counts = (): readonly number[] => takers.map(({ taken }) => taken.length)
const sum = (): number => counts().reduce((left, right) => left + right, 0)

test('each connection goes to the next one in turn, at one address for all', async () => {
  doors = new FrontDoors()
  const ports = await Promise.all([1, 2, 3].map(() => doors.open(place, createTaker())))
  expect(new Set(ports).size).toBe(1)
  await callers(ports[0] as number, 9)
  await until(() => sum() === 9)
  expect(counts()).toEqual([3, 3, 3])
})

test('one that does not take what it got gets no more', async () => {
  doors = new FrontDoors()
  const port = await doors.open(place, createTaker('is stuck'))
  await doors.open(place, createTaker())
  await callers(port, 7)
  await until(() => sum() === 7)
  expect(counts()).toEqual([1, 6])
})

test('what one could not take any more goes to another', async () => {
  doors = new FrontDoors()
  const stuck = createTaker('is stuck')
  const port = await doors.open(place, stuck)
  await doors.open(place, createTaker('refuses'))
  await callers(port, 2)
  await until(() => stuck.incoming.size > 0)
  const third = createTaker()
  await doors.open(place, third)
  await doors.gone(stuck)
  await until(() => third.taken.length === 2)
  expect(new Set(third.taken).size).toBe(2)
})

test('connections wait while there is nobody, and those that come when nobody wants them any more are refused', async () => {
  doors = new FrontDoors()
  const first = createTaker()
  const port = await doors.open(place, first)
  await doors.gone(first)
  await callers(port, 2)
  await new Promise((resolve) => setTimeout(resolve, 20))
  const second = createTaker()
  expect(await doors.open(place, second)).toBe(port)
  expect(second.taken).toHaveLength(2)
  await doors.close()
  await callers(port, 1)
  await until(() => second.taken.length === 3)
  await doors.shut(1, second)
  const refused = connect(port, '127.0.0.1')
  const code = await new Promise((resolve) => refused.on('error', ({ code }: NodeJS.ErrnoException) => resolve(code)))
  expect(code).toBe('ECONNREFUSED')
})

test('an address that cannot be had is told to each who asks', async () => {
  doors = new FrontDoors()
  const port = await doors.open(place, createTaker())
  const taken = { door: 2, address: { ...place.address, port } }
  for (let times = 0; times < 2; times++) {
    await expect(doors.open(taken, createTaker())).rejects.toThrow('another program listens there')
  }
})
