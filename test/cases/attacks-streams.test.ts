import { describe, expect, it } from 'vitest'
import { connectFast } from '../../src/client/testing.ts'
import { artifact, working } from '../../src/engine/executor.ts'
import type { AgentCard, StreamResponse, Task } from '../../src/protocol/generated/v1/types.ts'
import { applyEvent, isTerminal } from '../../src/protocol/task.ts'
import { delay, until } from '../harness.ts'
import { startProxy } from './proxy.ts'
import { fold, openStream, type RawStream, shapes, streamScript, taskIdOf } from './raw-stream.ts'
import { createGate, scriptedAgent } from './scripted-agent.ts'
import { fullMatrix, serve } from './served.ts'
import { atOnce, bindingNames, callerOf, sendRequest } from './wire.ts'

const scope = { agent: 'scripted', tenant: '', owner: '' }

describe.each(fullMatrix)('over $binding and $store', ({ store, binding }) => {
  it('a reader who lags behind 8,000 events slows nobody and misses nothing (STRM-10, STRM-18, STRM-20)', async () => {
    const served = await serve({ store })
    const caller = callerOf(served, binding)
    const gate = createGate()
    const slow = await streamScript(caller, `${gate.hold} chunks:a:8000 done`)
    const id = await taskIdOf(slow)
    slow.stall()
    const quick = await openStream(caller, 'SubscribeToTask', { id })
    gate.open()
    const frames = await quick.rest()
    expect(shapes(frames).at(-1)).toBe('COMPLETED')
    expect(frames).toHaveLength(8_002)
    slow.resume()
    const late = await slow.rest()
    expect(late.map(({ id: number }) => number)).toEqual(frames.slice(1).map(({ id: number }) => number))
    expect(late.at(-1)).toEqual(frames.at(-1))
    expect(await slow.ended()).toBe('ended')
  })

  it('places among the open streams are given back, however a stream ends (SEC-58)', async () => {
    const served = await serve({ store, limits: { streamsPerOwner: 2, decideAfter: 5 } })
    const caller = callerOf(served, binding)
    const { id } = await caller.send('status:INPUT_REQUIRED:which?')
    const { id: ended } = await caller.send('chunk:a:x done')
    const drop = async (stream: RawStream): Promise<void> => {
      stream.cut()
      await stream.ended()
    }
    const ways: readonly (() => Promise<unknown>)[] = [
      async () => (await streamScript(caller, 'done')).rest(),
      async () => (await streamScript(caller, 'message:hi')).rest(),
      async () => (await streamScript(caller, 'throw')).rest(),
      async () => (await streamScript(caller, 'task:SUBMITTED')).rest(),
      async () => (await streamScript(caller, 'status:INPUT_REQUIRED:which?')).rest(),
      async () => (await streamScript(caller, 'x', { message: { taskId: 'nope' } })).rest(),
      async () => (await streamScript(caller, 'x', { message: { taskId: ended } })).rest(),
      async () => (await streamScript(caller, 'x', { message: { taskId: id, contextId: 'other' } })).rest(),
      async () => (await streamScript(caller, 'x', { configuration: { historyLength: -1 } })).rest(),
      async () => (await openStream(caller, 'SubscribeToTask', { id: 'nope' })).rest(),
      async () => (await openStream(caller, 'SubscribeToTask', { id: ended })).rest(),
      async () =>
        (await openStream(caller, 'SubscribeToTask', { id: ended }, { headers: { 'last-event-id': '2' } })).rest(),
      async () =>
        (await openStream(caller, 'SubscribeToTask', { id: ended }, { headers: { 'last-event-id': '99' } })).rest(),
      async () => drop(await openStream(caller, 'SubscribeToTask', { id })),
      async () => drop(await streamScript(caller, 'wait:50 done')),
      async () => {
        const options = { headers: { 'idempotency-key': `k${Math.random()}` }, message: { messageId: 'm' } }
        await (await streamScript(caller, 'message:hi', options)).rest()
        await (await streamScript(caller, 'message:hi', options)).rest()
      },
    ]
    for (const [at, way] of ways.entries()) {
      for (let time = 0; time < 3; time++) await way()
      await until(async () => {
        const streams = await Promise.all([0, 1].map(() => openStream(caller, 'SubscribeToTask', { id })))
        const first = await Promise.all(streams.map((stream) => stream.next()))
        const open = first.every((frame) => frame?.value !== undefined)
        await Promise.all(streams.map(drop))
        return open
      }).catch(() => {
        throw new Error(`way ${at} keeps a place`)
      })
    }
  })

  it('whatever comes together, every task ends once and every reader sees it alike (TASK-06, TASK-09, SUB-12)', async () => {
    const served = await serve({ store, limits: { decideAfter: 3, queue: 5 } })
    const caller = callerOf(served, binding)
    let seed = 7
    const random = (below: number): number => {
      seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648
      return Math.floor((seed / 2_147_483_648) * below)
    }
    const script = (): string => {
      const words = [
        'status:WORKING',
        'chunk:a:x',
        'chunk:a:y:append',
        `wait:${random(8)}`,
        'chunk:b:z:append',
        'status:INPUT_REQUIRED:q',
        'read',
        'done',
        'fail',
        'nocancel',
      ]
      return Array.from({ length: 1 + random(6) }, () => words[random(words.length)]).join(' ')
    }
    const story = async (): Promise<void> => {
      const { id } = await caller.send(`status:WORKING wait:${random(10)} ${script()}`, atOnce)
      const readers: Promise<RawStream>[] = []
      const calls: Promise<unknown>[] = []
      for (let step = 0; step < 12; step++) {
        const what = random(10)
        if (what < 4) readers.push(openStream(caller, 'SubscribeToTask', { id }))
        else if (what < 7)
          calls.push(
            caller.call(
              'SendMessage',
              sendRequest(script(), { message: { taskId: id }, ...(what === 4 ? {} : atOnce) }),
            ),
          )
        else if (what < 8) readers.push(streamScript(caller, script(), { message: { taskId: id } }))
        else if (what < 9) calls.push(caller.get(id))
        else if (step > 6) calls.push(caller.call('CancelTask', { id }))
        if (random(3) === 0) await delay(random(6))
      }
      await until(async () => {
        if (!isTerminal((await caller.get(id)).status.state)) await caller.call('CancelTask', { id })
        return isTerminal((await caller.get(id)).status.state)
      })
      await Promise.all(calls)
      const stored = await caller.get(id)
      for (const reader of await Promise.all(readers)) {
        const frames = await reader.rest()
        if (reader.headers['content-type'] !== 'text/event-stream' || frames.length === 0) continue
        const numbers = frames.map((frame) => frame.id ?? 0)
        expect(numbers).toEqual([...numbers].sort((a, b) => a - b))
        expect(new Set(numbers).size).toBe(numbers.length)
        const seen = fold(frames)
        if (!isTerminal(seen?.status.state ?? 'TASK_STATE_UNSPECIFIED')) continue
        expect(seen?.status).toEqual(stored.status)
        expect(seen?.artifacts).toEqual(stored.artifacts)
      }
      await until(async () => (await served.store.head(scope, id))?.held === false)
    }
    for (let turn = 0; turn < 2; turn++) await Promise.all(Array.from({ length: 10 }, story))
    expect(served.log.filter(({ text }) => text.includes('could not'))).toEqual([])
  })
})

describe.each(bindingNames)('over %s', (binding) => {
  it('an agent that never stops talking can be stopped, and the server hears others meanwhile (CANC-02)', async () => {
    const run = async function* () {
      yield working()
      for (let number = 0; ; number++) yield number % 2 === 0 ? 'x' : artifact('y', { artifactId: 'b', append: true })
    }
    const served = await serve({ agent: scriptedAgent({ run }) })
    const caller = callerOf(served, binding)
    const { id } = await caller.send('go', atOnce)
    for (let time = 0; time < 10; time++) expect((await fetch(`${served.url}/healthz`)).status).toBe(200)
    expect((await caller.cancel(id)).status.state).toBe('TASK_STATE_CANCELED')
    const before = (await caller.get(id)).artifacts
    await delay(20)
    expect((await caller.get(id)).artifacts).toEqual(before)
  })

  it('an author whose iterator is broken costs the task only', async () => {
    const next = async (): Promise<never> => new Promise(() => {})
    const end = (): never => {
      throw new Error('no return')
    }
    const runs: readonly unknown[] = [
      () => undefined,
      () => ({}),
      async () => 'text',
      () => ({ [Symbol.asyncIterator]: () => ({ next, return: end }) }),
      () => end(),
    ]
    for (const [at, run] of runs.entries()) {
      const served = await serve({ agent: scriptedAgent({ run: run as never }) })
      const caller = callerOf(served, binding)
      const { id } = await caller.send('go', atOnce)
      await caller.call('CancelTask', { id })
      await until(async () => isTerminal((await caller.get(id)).status.state))
      expect([at, (await caller.get(id)).status.state]).toEqual([
        at,
        at === 3 ? 'TASK_STATE_CANCELED' : 'TASK_STATE_FAILED',
      ])
    }
  })

  it.each(['stops', 'is killed'])(
    'a server that %s in the middle of a stream: by Last-Event-ID the next one goes on where it broke (STRM-25)',
    async (how) => {
      const gates = [createGate(), createGate()] as const
      const first = await serve({ store: 'sqlite', agent: scriptedAgent({ resumable: true }) })
      const caller = callerOf(first, binding)
      const script = `chunk:a:one, ${gates[0].hold} chunk:a:two,:append ${gates[1].hold} chunk:a:three:append done`
      const stream = await streamScript(caller, script)
      const id = await taskIdOf(stream)
      gates[0].open()
      const seen = [await stream.next(), await stream.next()]
      const last = seen.at(-1)?.id ?? 0
      if (how === 'stops') await first.close()
      else stream.cut()
      if (how === 'stops') {
        expect(await stream.rest()).toEqual([])
        expect([await stream.ended(), stream.retry]).toEqual(['ended', 1_000])
      } else await first.close()
      gates[1].open()
      const second = await serve({ store: 'sqlite', path: first.path, agent: scriptedAgent({ resumable: true }) })
      const back = await openStream(
        callerOf(second, binding),
        'SubscribeToTask',
        { id },
        { headers: { 'last-event-id': String(last) } },
      )
      const frames = await back.rest()
      expect(frames[0]?.id).toBe(last)
      expect(frames[0]?.value?.task?.artifacts?.[0]?.parts).toEqual([{ text: 'one,two,' }])
      const ids = frames.map((frame) => frame.id ?? 0)
      expect(ids).toEqual(ids.map((_, at) => last + at))
      const stored = await callerOf(second, binding).get(id)
      expect(fold(frames)).toEqual(stored)
      expect(stored.status.state).toBe('TASK_STATE_COMPLETED')
    },
  )

  it('our client does not notice that the server was replaced meanwhile (STRM-25)', async () => {
    const first = await serve({ store: 'sqlite', agent: scriptedAgent({ resumable: true }) })
    const proxy = await startProxy(first.url)
    const card = (await (await fetch(first.server.cardUrl)).json()) as AgentCard
    const supportedInterfaces = card.supportedInterfaces
      .filter(({ protocolBinding }) => protocolBinding === binding)
      .map((iface) => ({ ...iface, url: iface.url.replace(first.url, proxy.url) }))
    const agent = await connectFast({ ...card, supportedInterfaces })
    const gate = createGate()
    let task: Task | undefined
    const seen: StreamResponse[] = []
    for await (const event of agent.stream(`status:WORKING chunk:a:one ${gate.hold} chunk:b:two done`)) {
      seen.push(event)
      task = applyEvent(task, event)
      if (event.artifactUpdate?.artifact.artifactId !== 'a' || seen.length > 3) continue
      await first.close()
      const second = await serve({ store: 'sqlite', path: first.path, agent: scriptedAgent({ resumable: true }) })
      proxy.to(second.url)
      gate.open()
    }
    expect(task?.status.state).toBe('TASK_STATE_COMPLETED')
    expect(task?.artifacts?.map(({ artifactId, parts }) => [artifactId, parts[0]?.text])).toEqual([
      ['a', 'one'],
      ['b', 'two'],
    ])
  })

  it('an id or a context that would be repeated in each event may not be endless', async () => {
    const served = await serve()
    const caller = callerOf(served, binding)
    const contextId = 'x'.repeat(1_001)
    expect(await caller.fails('SendMessage', sendRequest('done', { message: { contextId } }))).toMatchObject({
      fields: ['message.contextId'],
    })
    expect((await caller.send('done', { message: { contextId: contextId.slice(1) } })).contextId).toHaveLength(1_000)
    if (binding === 'HTTP+JSON') return
    const answer = await caller.call('ListTasks', {}, { id: 'x'.repeat(1_001) })
    expect([answer.error?.code, answer.text.length < 500]).toEqual([-32600, true])
    expect((await caller.call('ListTasks', {}, { id: 'x'.repeat(1_000) })).error).toBeUndefined()
  })
})

it('100,000 events to a reader who lags: each once, in order (STRM-10)', async () => {
  const served = await serve({ store: 'sqlite' })
  const caller = callerOf(served, 'HTTP+JSON')
  const slow = await streamScript(caller, 'chunks:a:100000 done')
  const id = await taskIdOf(slow)
  slow.stall()
  await until(async () => (await caller.get(id, 0)).status.state === 'TASK_STATE_COMPLETED')
  slow.resume()
  const frames = await slow.rest()
  expect(frames).toHaveLength(100_001)
  expect(frames.every((frame, at) => frame.id === at + 3)).toBe(true)
  const text = (await caller.get(id)).artifacts?.[0]?.parts[0]?.text
  expect(text === Array.from({ length: 100_000 }, (_, number) => `${number},`).join('')).toBe(true)
}, 20_000)
