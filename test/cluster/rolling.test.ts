import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, it } from 'vitest'
import { freshSchema, testDatabase } from '../../src/stores/testing-postgres.ts'
import { delay, onCleanup, temporaryFolder } from '../harness.ts'

const repository = join(import.meta.dirname, '..', '..')

// biome-ignore lint/suspicious/noExplicitAny: the harness of the chaos runs unbuilt, so that it has no types
const script = (name: string): Promise<any> =>
  import(pathToFileURL(join(repository, 'scripts', 'chaos', `${name}.mjs`)).href)

const [clients, libraryClients, histories, nodeScripts, proxies, rounds, stock, randoms] = await Promise.all(
  ['client', 'library-client', 'history', 'nodes', 'proxy', 'round', 'stock', 'random'].map(script),
)

interface Place {
  readonly host: string
  readonly port: number
}

interface Node {
  readonly name: string
  readonly address: Place | undefined
  start(): Promise<boolean>
  kill(signal: string): Promise<void>
  close(): Promise<void>
}

async function store(folder: string): Promise<string> {
  if (testDatabase === undefined) return join(folder, 'tasks.db')
  const { url, drop } = freshSchema()
  onCleanup(drop)
  return url
}

/** Whether a node says that calls may come, as balancers ask. */
async function isReady({ address }: Node): Promise<boolean> {
  if (address === undefined) return false
  const answer = await fetch(`http://${address.host}:${address.port}/readyz`, { headers: { connection: 'close' } })
  await answer.body?.cancel()
  return answer.ok
}

it('a rolling restart of three nodes under load cuts no call, loses nothing and repeats nothing', async () => {
  const folder = await temporaryFolder()
  const history = histories.createHistory(join(folder, 'history.jsonl'))
  const nodes: Node[] = []
  const ready = new Set<Node>()
  let turn = 0
  const router = await proxies.startProxy(() => {
    const places = nodes.filter((node) => ready.has(node))
    return places[turn++ % places.length]?.address
  })
  onCleanup(async () => router.close())
  const url = `http://127.0.0.1:${router.port}`
  const settings = {
    dist: join(repository, 'dist'),
    store: await store(folder),
    lease: { heartbeat: 1_000, expires: 10_000 },
    journal: join(folder, 'runs.jsonl'),
    publicUrl: url,
    resumable: true,
    ending: { delayMs: 400, graceMs: 500 },
  }
  for (const name of ['a', 'b', 'c']) {
    const node: Node = await nodeScripts.startNode(name, settings, { history, onLog: () => {} })
    onCleanup(() => node.close())
    nodes.push(node)
  }
  await Promise.all(nodes.map((node) => node.start()))
  for (const node of nodes) ready.add(node)
  let watching = true
  const balancer = (async () => {
    while (watching) {
      for (const node of nodes) {
        if (await isReady(node).catch(() => false)) ready.add(node)
        else ready.delete(node)
      }
      await delay(30)
    }
  })()

  let over = false
  const shared = clients.createShared()
  const library = await import(pathToFileURL(join(settings.dist, 'index.js')).href)
  const running = Array.from({ length: 9 }, (_, index) => {
    const random = randoms.createRandom('rolling', index)
    const given = { url, history, random, shared, name: `m${index}`, longest: 3_000, stopped: () => over }
    return index % 3 === 2 ? libraryClients.runLibraryClient({ ...given, library }) : clients.runClient(given)
  })
  await delay(500)
  for (const node of nodes) {
    await node.kill('SIGTERM')
    await node.start()
    await delay(300)
  }
  over = true
  await Promise.all(running)
  await stock.takeStock({ url, history, shared, random: randoms.createRandom('stock'), report: () => {} })
  watching = false
  await balancer
  history.close()
  const { violations, counts } = await rounds.checkFolder(folder)
  expect(violations).toEqual([])
  expect(counts.cut).toBe(0)
  for (const what of ['tasks', 'frames', 'resumed', 'views'] as const)
    expect([what, counts[what] > 0]).toEqual([what, true])
}, 60_000)
