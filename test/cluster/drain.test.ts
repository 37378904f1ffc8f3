import { type AddressInfo, createServer } from 'node:net'
import { describe, expect, it } from 'vitest'
import { connect } from '../../src/client/connect.ts'
import { agent } from '../../src/engine/executor.ts'
import type { StreamResponse } from '../../src/protocol/generated/v1/types.ts'
import { type Server, serve } from '../../src/server/serve.ts'
import { startProxy } from '../cases/proxy.ts'
import { allBindings } from '../cases/wire.ts'
import { type Cluster, clusterKinds, openCluster } from '../cluster.ts'
import { delay, onCleanup, until } from '../harness.ts'

/** Counts up to 40; where it is run again, it begins anew. */
const counter = agent({
  name: 'counter',
  description: 'Counts.',
  version: '1.0.0',
  resumable: true,
  async *run(task) {
    if (task.resumed) yield 'again '
    for (let number = 1; number <= 40; number++) {
      yield `${number} `
      await delay(10)
      if (task.signal.aborted) return
    }
  },
})

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}

/** Two nodes on one database, and a proxy before them that leads to the first one. */
async function startPair(kind: Cluster['kind']) {
  const cluster = await openCluster(kind)
  const proxy = await startProxy('http://127.0.0.1:9')
  const start = async (): Promise<{ server: Server; place: string }> => {
    const port = await freePort()
    const server = await serve(counter, {
      listen: `127.0.0.1:${port}`,
      store: await cluster.open(),
      publicUrl: proxy.url,
      retryHint: 50,
      limits: { sweepEvery: 50, pollEvery: 20 },
    })
    onCleanup(() => server.close({ graceMs: 0 }))
    return { server, place: `http://127.0.0.1:${port}` }
  }
  const [here, there] = [await start(), await start()]
  proxy.to(here.place)
  return { here, there, proxy }
}

const piece = ({ artifactUpdate }: StreamResponse): string =>
  (artifactUpdate?.artifact.parts ?? []).map(({ text }) => text ?? '').join('')

const count = Array.from({ length: 40 }, (_, at) => `${at + 1} `).join('')

describe.each(clusterKinds.filter((kind) => kind !== 'memory'))('a node that ends, over %s', (kind) => {
  it.each(allBindings)('sends its streams on to another, which goes on with their tasks, over %s', async (binding) => {
    const { here, there, proxy } = await startPair(kind)
    const client = await connect(proxy.url, { binding, retry: { base: 20 } })
    let text = ''
    let closing: Promise<void> | undefined
    for await (const event of client.stream('count')) {
      text += piece(event)
      if (closing !== undefined || !text.includes('5 ')) continue
      proxy.to(there.place)
      closing = here.server.close({ graceMs: 30 })
    }
    await closing
    const [before = '', after] = text.split('again ')
    expect(count.startsWith(before)).toBe(true)
    expect(after).toBe(count)
  })

  it.each(allBindings)('lets who waits for an answer get it from another, over %s', async (binding) => {
    const { here, there, proxy } = await startPair(kind)
    const client = await connect(proxy.url, { binding, retry: { base: 20 } })
    const sending = client.send('count')
    await until(async () => (await client.list()).totalSize === 1)
    proxy.to(there.place)
    await here.server.close({ graceMs: 30 })
    const { task } = await sending
    expect(task?.status.state).toBe('TASK_STATE_COMPLETED')
    expect((await client.list()).totalSize).toBe(1)
  })
})
