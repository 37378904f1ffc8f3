import { describe, expect, it } from 'vitest'
import type { Agent } from '../../src/client/agent.ts'
import type { ConnectOptions } from '../../src/client/options.ts'
import { connectFast } from '../../src/client/testing.ts'
import type { AgentCard, StreamResponse, Task } from '../../src/protocol/generated/v1/types.ts'
import { applyEvent } from '../../src/protocol/task.ts'
import { delay } from '../harness.ts'
import { startProxy, type TcpProxy } from './proxy.ts'
import { openStream, shapes, streamScript, taskIdOf } from './raw-stream.ts'
import { createGate } from './scripted-agent.ts'
import { matrix, type Served, serve } from './served.ts'
import { type BindingName, bindingNames, callerOf } from './wire.ts'

/** Our client, by way of a proxy; `extensions` of the card are left out on demand, as of a plain server. */
async function connectThrough(
  { served, proxy, binding }: { served: Served; proxy: TcpProxy; binding: BindingName },
  { plain = false, ...options }: ConnectOptions & { readonly plain?: boolean } = {},
): Promise<Agent> {
  const card = (await (await fetch(served.server.cardUrl)).json()) as AgentCard
  const supportedInterfaces = card.supportedInterfaces
    .filter(({ protocolBinding }) => protocolBinding === binding)
    .map((iface) => ({ ...iface, url: iface.url.replace(served.url, proxy.url) }))
  const capabilities = plain ? { streaming: true } : card.capabilities
  return connectFast({ ...card, supportedInterfaces, capabilities }, options)
}

/** Reads a stream of our client to its end: what each event is, and the task they make. */
async function readAll(events: AsyncIterable<StreamResponse>): Promise<{ task: Task; shapes: string[] }> {
  const seen: StreamResponse[] = []
  for await (const event of events) seen.push(event)
  const task = seen.reduce<Task | undefined>((known, event) => applyEvent(known, event), undefined)
  const frames = seen.map((value) => ({ value, id: undefined, error: undefined, requestId: undefined }))
  return { task: task as Task, shapes: shapes(frames) }
}

const numbers = (count: number): string => Array.from({ length: count }, (_, number) => `${number},`).join('')
const textOf = (task: Task): string =>
  (task.artifacts ?? []).map(({ parts }) => parts.map(({ text }) => text ?? '').join('')).join('')

describe.each(matrix)('over $binding and $store', ({ store, binding }) => {
  it('Case 31: silence is filled with comments, and proxies are told to hold nothing back (SSE-01, SSE-05, SSE-06)', async () => {
    const served = await serve({ store, keepAlive: 20 })
    const caller = callerOf(served, binding)
    const gate = createGate()
    const stream = await streamScript(caller, `status:WORKING ${gate.hold} done`)
    expect(stream.status).toBe(200)
    expect(stream.headers).toMatchObject({
      'content-type': 'text/event-stream',
      'cache-control': expect.stringMatching(/no-cache.*no-transform/),
      'x-accel-buffering': 'no',
    })
    expect(stream.headers['content-length']).toBeUndefined()
    const other = await openStream(caller, 'SubscribeToTask', { id: await taskIdOf(stream) })
    while (stream.comments.length < 3 || other.comments.length < 3) await delay(5)
    gate.open()
    expect(shapes(await stream.rest())).toEqual(['WORKING', 'COMPLETED'])
    expect(shapes(await other.rest()).at(-1)).toBe('COMPLETED')
  })

  it('Case 31: the head of a stream comes at once although the agent says nothing yet (STRM-02, STRM-09)', async () => {
    const served = await serve({ store, limits: { decideAfter: 5 } })
    const gate = createGate()
    const stream = await streamScript(callerOf(served, binding), `${gate.hold} chunk:a:x done`)
    expect(shapes([(await stream.next()) as never])).toEqual(['task SUBMITTED'])
    gate.open()
    expect(shapes(await stream.rest())).toEqual(['a:x', 'COMPLETED'])
  })

  it('Case 31: events come one by one as they happen, also through a proxy that holds back what does not forbid it (STRM-09)', async () => {
    const served = await serve({ store, limits: { decideAfter: 5 } })
    const proxy = await startProxy(served.url, { buffering: 'unless told' })
    const gates = [createGate(), createGate()]
    const [first, second] = gates
    const caller = callerOf({ url: proxy.url }, binding)
    const stream = await streamScript(caller, `${first?.hold} chunk:a:1 ${second?.hold} chunk:a:2:append done`)
    await stream.next()
    for (const [index, gate] of gates.entries()) {
      gate.open()
      expect((await stream.next())?.value?.artifactUpdate?.artifact.parts).toEqual([{ text: String(index + 1) }])
    }
    expect(shapes(await stream.rest())).toEqual(['COMPLETED'])
  })
})

describe.each(bindingNames)('our client over %s', (binding) => {
  it('Case 31: our client waits longer than any of its limits while comments come, with no limit for the whole', async () => {
    const served = await serve({ store: 'sqlite', keepAlive: 30, limits: { decideAfter: 5 } })
    const proxy = await startProxy(served.url, { idle: 200 })
    const agent = await connectThrough({ served, proxy, binding }, { limits: { firstByte: 200, idle: 200 } })
    const result = await agent.send('status:WORKING wait:500 chunk:a:late done')
    expect([result.text, result.state]).toEqual(['late', 'TASK_STATE_COMPLETED'])
    expect([proxy.connections, proxy.cuts]).toEqual([1, 0])
  })

  it.each([false, true])(
    'Case 31: without comments an idle proxy cuts; our client comes back and misses nothing, plain server: %s (STRM-25)',
    async (plain) => {
      const served = await serve({ store: 'sqlite', keepAlive: 0, limits: { decideAfter: 5 } })
      const proxy = await startProxy(served.url, { idle: 60 })
      const agent = await connectThrough({ served, proxy, binding }, { plain })
      const script = 'chunk:a:1 wait:200 chunk:a:2:append chunk:b:x wait:200 status:WORKING chunk:a:3:append done'
      const read = await readAll(agent.stream(script))
      expect(proxy.cuts).toBeGreaterThan(1)
      expect(textOf(read.task)).toBe('123x')
      const stored = await callerOf(served, binding).get(read.task.id)
      expect(read.task.artifacts).toMatchObject(
        stored.artifacts?.map(({ artifactId, parts }) => ({ artifactId, parts })) ?? [],
      )
      expect(read.task.status).toEqual(stored.status)
      expect(read.shapes).toEqual(['task SUBMITTED', 'a:1', '+a:2', 'b:x', 'WORKING', '+a:3', 'COMPLETED'])
    },
  )

  it.each([false, true])(
    'Case 31: a line that drops at every few hundred bytes: each event once, in order, plain server: %s (STRM-25)',
    async (plain) => {
      const served = await serve({ store: 'sqlite' })
      let length = 900
      const proxy = await startProxy(served.url, {
        cutAfter: () => {
          length += 137
          return length
        },
      })
      const agent = await connectThrough({ served, proxy, binding }, { plain })
      const script = `${Array.from({ length: 8 }, (_, turn) => `chunks:${turn}:5 wait:4`).join(' ')} done`
      const read = await readAll(agent.stream(script))
      expect(proxy.cuts).toBeGreaterThan(1)
      expect(textOf(read.task)).toBe(numbers(5).repeat(8))
      expect(read.shapes.filter((shape) => shape === 'COMPLETED')).toHaveLength(1)
      if (!plain) expect(read.shapes).toHaveLength(42)
    },
  )

  it('Case 31: a proxy that holds back everything delays the answer and spoils nothing', async () => {
    const served = await serve({ store: 'sqlite' })
    const proxy = await startProxy(served.url, { buffering: 'always' })
    const agent = await connectThrough({ served, proxy, binding })
    const read = await readAll(agent.stream('chunks:a:20 wait:60 done'))
    expect(textOf(read.task)).toBe(numbers(20))
    expect(read.shapes).toHaveLength(22)
  })
})
