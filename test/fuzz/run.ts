import type { Ids, Seed } from './calls.ts'
import { createGrpcClient, type GrpcClient, recordCall } from './grpc-client.ts'
import { exchange } from './http-client.ts'
import { judgeGrpc, judgeHttp, judgeHttp2, type Verdict } from './judge.ts'
import { mutateBytes } from './mutate-bytes.ts'
import { createPool, type Pool } from './pool.ts'
import { createRandom, type Random } from './random.ts'
import { seeds } from './seeds.ts'
import { aim, describeShot, plainShot, type Shot } from './shots.ts'
import { type Flaw, startTarget, type Target } from './target.ts'

export interface FuzzOptions {
  readonly rounds: number
  readonly seed: number
  /** The first round, to come back to one quickly. */
  readonly from?: number
  /** Only seeds whose label matches. */
  readonly only?: RegExp
  /** Frees memory, where the process can; without it nothing is said about memory. */
  readonly gc?: () => void
  readonly progress?: (text: string) => void
  /** A flaw of the server, which is to be noticed. */
  readonly flaw?: Flaw
  /** How many faults are enough to stop; 20. */
  readonly enough?: number
}

/** Something that a server must not do. */
export interface Fault {
  readonly round: number
  readonly label: string
  readonly what: string
  /** What was sent. */
  readonly sent: string
}

export interface FuzzReport {
  readonly rounds: number
  readonly faults: readonly Fault[]
  /** Seeds that were refused although nothing was done to them. */
  readonly refusedSeeds: readonly string[]
  readonly outcomes: Readonly<Record<Verdict['outcome'], number>>
  readonly seconds: number
  /** Bytes of the heap after the warm-up and at the end, with nothing stored. */
  readonly heap?: readonly [before: number, after: number]
}

/** Growth of the heap that is no leak: code that was compiled, caches with bounds. */
const mostGrowth = 1.15

/** Fires mutated calls at a server, one after the other, and watches what it does. */
export async function fuzz(options: FuzzOptions): Promise<FuzzReport> {
  const started = performance.now()
  const target = await startTarget(options.flaw)
  const grpc = createGrpcClient(target.port)
  const pool = createPool(target.port)
  const faults: Fault[] = []
  const outcomes = { accepted: 0, refused: 0, unknown: 0 }
  const range: Range = { target, grpc, pool, storedBefore: 0 }
  try {
    const refusedSeeds = await proveSeeds(range, faults)
    const raw = await recordRaw()
    const random = createRandom(options.seed)
    const chosen = seeds.filter(({ label }) => options.only?.test(label) ?? true)
    const { from = 0, rounds, gc, enough = 20 } = options
    const last = from + rounds
    const warm = from + Math.floor(rounds / 5)
    let before: number | undefined
    let round = from
    for (; round < last && faults.length < enough; round++) {
      const chance = random.fork(round)
      if (chance.percent(2)) {
        const sent = (await fireRaw(chance, { target, raw })).toString('hex').slice(0, 2_000)
        for (const what of target.takeErrors()) faults.push({ round, label: 'frames of HTTP/2', what, sent })
      } else {
        const seed = chance.pick(chosen)
        const shot = aim(chance, seed.make(chance, pool.idsFor(chance, round)))
        const verdict = await fire(shot, range)
        if (verdict !== undefined) outcomes[verdict.outcome]++
        note(faults, { round, label: seed.label, shot, verdict, range })
      }
      if (round % 100 === 0) await pool.refresh()
      if (round % 500 === 0) {
        await proveAlive(range, { faults, round })
        options.progress?.(`round ${round}: ${faults.length} faults, ${target.stored()} tasks stored`)
      }
      if (gc !== undefined && round === warm) before = await measure(range, gc)
    }
    await proveAlive(range, { faults, round })
    let heap: FuzzReport['heap']
    if (gc !== undefined && before !== undefined) {
      heap = [before, await measure(range, gc)]
      if (heap[1] > heap[0] * mostGrowth) {
        faults.push({ round, label: 'memory', what: `the heap grew from ${heap[0]} to ${heap[1]} bytes`, sent: '' })
      }
    }
    const seconds = (performance.now() - started) / 1_000
    return { rounds: round - from, faults, refusedSeeds, outcomes, seconds, ...(heap && { heap }) }
  } finally {
    grpc.close()
    await target.close()
  }
}

interface Range {
  readonly target: Target
  readonly grpc: GrpcClient
  readonly pool: Pool
  /** How many tasks were stored when the last call had been judged. */
  storedBefore: number
}

async function fire(shot: Shot, { target, grpc }: Range): Promise<Verdict | undefined> {
  if (shot.kind === 'http')
    return judgeHttp(await exchange(target.port, shot.bytes, shot.complete ? 'wait' : 'end'), shot.complete)
  if (shot.kind === 'http2') {
    const answer = await grpc.call(shot.headers, shot.body)
    return answer && judgeHttp2(answer)
  }
  const answer = await grpc.call(shot.headers, shot.body, { end: shot.end })
  return answer && judgeGrpc(answer)
}

interface Fired {
  readonly round: number
  readonly label: string
  readonly shot: Shot
  readonly verdict: Verdict | undefined
  readonly range: Range
}

function note(faults: Fault[], { round, label, shot, verdict, range }: Fired): void {
  const stored = range.target.stored()
  const found = range.target.takeErrors()
  if (verdict?.fault !== undefined) found.push(verdict.fault)
  if (verdict?.outcome === 'refused' && stored > range.storedBefore) found.push('a refused request stored a task')
  range.storedBefore = stored
  for (const what of found) faults.push({ round, label, what, sent: describeShot(shot) })
}

/** Sends each call as it should be, at a task that waits for input; gives those that were refused all the same. */
async function proveSeeds(range: Range, faults: Fault[]): Promise<string[]> {
  const random = createRandom(1)
  const refused: string[] = []
  for (const seed of seeds) {
    let accepted = false
    for (let times = 0; times < 3 && !accepted; times++) {
      const shot = plainShot(seed.make(random, await range.pool.openTask()))
      const verdict = await fire(shot, range)
      accepted ||= verdict?.outcome === 'accepted'
      range.storedBefore = range.target.stored()
      if (verdict?.fault !== undefined) note(faults, { round: -1, label: seed.label, shot, verdict, range })
    }
    if (!accepted) refused.push(seed.label)
  }
  return refused
}

const probe: Seed | undefined = seeds.find(({ label }) => label === '1.0 JSONRPC SendMessage')

async function proveAlive(range: Range, { faults, round }: { faults: Fault[]; round: number }): Promise<void> {
  if (probe === undefined) throw new Error('there is no call to try the server with')
  const shot = plainShot(probe.make(createRandom(round), await range.pool.openTask()))
  const verdict = await fire(shot, range)
  if (verdict?.outcome !== 'accepted') {
    faults.push({ round, label: 'alive', what: 'a valid call was not answered', sent: describeShot(shot) })
  }
  range.storedBefore = range.target.stored()
}

async function recordRaw(): Promise<Buffer> {
  const message = Buffer.from('0a046e6f6e65', 'hex')
  const headers = { ':method': 'POST', ':path': '/lf.a2a.v1.A2AService/GetTask', 'content-type': 'application/grpc' }
  return await recordCall(headers, Buffer.concat([Buffer.from([0, 0, 0, 0, message.length]), message]))
}

/** Sends what HTTP/2 calls nonsense. Whether the server lives on is seen by what follows. */
async function fireRaw(random: Random, { target, raw }: { target: Target; raw: Buffer }): Promise<Buffer> {
  const preface = 24
  const bytes = random.percent(80)
    ? Buffer.concat([raw.subarray(0, preface), mutateBytes(random, raw.subarray(preface))])
    : mutateBytes(random, raw)
  await exchange(target.port, bytes, 'leave')
  return bytes
}

/** Streams of many small events, so that caches of the newest ones hold the same each time. */
async function fillCaches(range: Range): Promise<void> {
  const streams = seeds.filter(({ label }) => / GRPC SendStreamingMessage$/.test(label))
  for (let times = 0; times < 60; times++) {
    const random = createRandom(times)
    for (const seed of streams) await fire(plainShot(seed.make({ ...random, ...manyPieces }, noIds)), range)
  }
}

/** A message of one part that asks for the most events. */
const manyPieces: Pick<Random, 'percent' | 'pick'> = {
  percent: () => false,
  pick: <T>(list: readonly T[]): T => list.find((item) => item === 'pieces 20') ?? (list[0] as T),
}
const noIds: Ids = { task: () => '', context: () => '', fresh: () => 'many' }

/** Bytes of the heap once every task is gone. */
async function measure(range: Range, gc: () => void): Promise<number> {
  await fillCaches(range)
  await range.pool.empty()
  range.storedBefore = range.target.stored()
  for (let times = 0; times < 4; times++) {
    gc()
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  return process.memoryUsage().heapUsed
}
