import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { describe, expect, it } from 'vitest'
import * as library from '../../src/server/index.ts'
import { clusterKinds, openCluster } from '../cluster.ts'
import { delay, onCleanup, temporaryFolder } from '../harness.ts'
import { faultyStore, type Trouble } from './faulty-store.ts'

// biome-ignore lint/suspicious/noExplicitAny: the harness of the chaos runs unbuilt, so that it has no types
const script = (name: string): Promise<any> =>
  import(pathToFileURL(join(import.meta.dirname, '..', '..', 'scripts', name)).href)

const [behaviour, clients, histories, rounds, stock, randoms] = await Promise.all(
  ['behaviour', 'client', 'history', 'round', 'stock', 'random'].map((name) => script(`chaos/${name}.mjs`)),
)

/** What a task fails with that could not be written any more. */
const reasons = ['The task could not be stored, so it was stopped.']

const troubles: Readonly<Record<string, (random: () => number) => Trouble>> = {
  'are slow': () => ({ slow: 15, fails: () => false }),
  'fail now and then': (random) => ({ slow: 0, fails: () => random() < 0.05 }),
  'all fail for a time': () => ({ slow: 0, fails: () => true }),
}

/** Two servers on one database, one of which has a trouble; clients at both, whose history is checked. */
async function play(kind: (typeof clusterKinds)[number], name: string) {
  const random = randoms.createRandom(kind, name)
  const trouble = troubles[name]?.(random) as Trouble
  const folder = await temporaryFolder()
  const cluster = await openCluster(kind)
  const journal = join(folder, 'runs.jsonl')
  const history = histories.createHistory(join(folder, 'history.jsonl'))
  const urls: string[] = []
  for (const node of ['a', 'b']) {
    const store = await cluster.open()
    const server = await library.serve(behaviour.createAgent(library, { node, journal, pace: 0.1 }), {
      listen: '127.0.0.1:0',
      store: node === 'a' ? faultyStore(store, trouble) : store,
      limits: { sweepEvery: 100, pollEvery: 20 },
    })
    onCleanup(() => server.close({ graceMs: 0 }))
    urls.push(server.url)
  }
  let over = false
  const shared = clients.createShared()
  const running = Array.from({ length: 8 }, (_, index) =>
    clients.runClient({
      ...{ url: urls[index % 2], history, shared, name: `m${index}`, longest: 400 },
      random: randoms.createRandom(kind, name, index),
      stopped: () => over,
    }),
  )
  while (history.count < 150) await delay(10)
  Object.assign(trouble, { slow: 0, fails: () => false })
  while (history.count < 200) await delay(10)
  over = true
  await Promise.all(running)
  await stock.takeStock({ url: urls[1], history, shared, random, report: () => {} })
  history.close()
  return rounds.checkFolder(folder, { reasons })
}

describe.each(clusterKinds)('two servers on %s', (kind) => {
  it.each(Object.keys(troubles))(
    'lose nothing and repeat nothing while the writes of one %s',
    async (name) => {
      const { violations, counts } = await play(kind, name)
      expect(violations).toEqual([])
      expect(counts.tasks).toBeGreaterThan(0)
      expect(counts.frames).toBeGreaterThan(0)
    },
    30_000,
  )
})
