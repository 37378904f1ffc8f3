import { connect as connectHttp2 } from 'node:http2'
import { connect } from 'node:net'
import { describe, expect, it } from 'vitest'
import { delay, until } from '../harness.ts'
import { fold, openStream, shapes, streamScript, taskIdOf } from './raw-stream.ts'
import { createGate } from './scripted-agent.ts'
import { matrix, type Served, serve } from './served.ts'
import { slowStore } from './slow-store.ts'
import { atOnce, type BindingName, callerOf, sendRequest, wireRequest } from './wire.ts'

const script = 'status:WORKING wait:80 chunk:a:hi done'

/** Sends a request over a connection of its own and gives what cuts it. */
function rawRequest(served: Served, binding: BindingName, operation: string): { cut(): void; text(): string } {
  const { method, path, headers, body } = wireRequest(binding, operation, { request: sendRequest(script) })
  const { hostname, port } = new URL(served.url)
  const socket = connect(Number(port), hostname)
  let text = ''
  socket.on('data', (piece) => {
    text += piece
  })
  socket.on('error', () => {})
  const lines = Object.entries({ ...headers, host: 'x', 'content-length': Buffer.byteLength(body) })
  const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')
  socket.write(`${method} ${path} HTTP/1.1\r\n${head}\r\n${body}`)
  return { cut: () => void socket.resetAndDestroy(), text: () => text }
}

describe.each(matrix)('over $binding and $store', ({ store, binding }) => {
  it('Case 1: closing the stream after its first event stops nothing, and another reader sees all (STRM-20, STRM-21, SSE-10)', async () => {
    const served = await serve({ store })
    const caller = callerOf(served, binding)
    const gate = createGate()
    const leaving = await streamScript(caller, `status:WORKING ${gate.hold} chunk:a:hi done`)
    const id = await taskIdOf(leaving)
    const other = await openStream(caller, 'SubscribeToTask', { id })
    leaving.cut()
    gate.open()
    const frames = await other.rest()
    expect(shapes(frames).slice(-2)).toEqual(['a:hi', 'COMPLETED'])
    expect(fold(frames)).toEqual(await caller.get(id))
    expect(await other.ended()).toBe('ended')
  })

  it.each([
    ['a stream before its first event', 'SendStreamingMessage', 0],
    ['a stream some time later', 'SendStreamingMessage', 60],
    ['a blocking send', 'SendMessage', 60],
  ] as const)('Case 1: a TCP reset of %s leaves the task at work (STRM-21)', async (_, operation, after) => {
    const served = await serve({ store, limits: { decideAfter: 40 } })
    const caller = callerOf(served, binding)
    const connection = rawRequest(served, binding, operation)
    const list = (): Promise<{ tasks: { id: string }[] }> => caller.ok('ListTasks', {})
    if (after === 0) await delay(15)
    else await until(async () => (await list()).tasks.length === 1)
    connection.cut()
    await until(async () => (await list()).tasks.length === 1)
    const [task] = (await list()).tasks
    await until(async () => (await caller.get(task?.id ?? '')).status.state === 'TASK_STATE_COMPLETED')
    expect((await caller.get(task?.id ?? '')).artifacts?.[0]?.parts).toEqual([{ text: 'hi' }])
  })

  it('Case 1: a reset of one HTTP/2 stream ends that stream only (STRM-20, STRM-21)', async () => {
    const served = await serve({ store })
    const caller = callerOf(served, binding)
    const session = connectHttp2(served.url)
    const { method, path, headers, body } = wireRequest(binding, 'SendStreamingMessage', {
      request: sendRequest(script),
    })
    const open = (): Promise<{ text: string; reset(): void; closed: Promise<void> }> =>
      new Promise((resolve) => {
        const stream = session.request({ ':method': method, ':path': path, ...headers })
        const seen = {
          text: '',
          reset: () => stream.close(8),
          closed: new Promise<void>((done) => stream.on('close', done)),
        }
        stream.on('error', () => {})
        stream.setEncoding('utf8').on('data', (piece: string) => {
          seen.text += piece
          resolve(seen)
        })
        stream.end(body)
      })
    const [first, second] = await Promise.all([open(), open()])
    const id = /"id":"([\w-]{30,})"/.exec(first.text)?.[1] ?? ''
    first.reset()
    await Promise.all([first.closed, second.closed])
    session.close()
    expect(second.text).toContain('TASK_STATE_COMPLETED')
    await until(async () => (await caller.get(id)).status.state === 'TASK_STATE_COMPLETED')
  })

  it('Case 1: what was missed while away is in the next snapshot (STRM-23, SUB-02)', async () => {
    const served = await serve({ store })
    const caller = callerOf(served, binding)
    const [away, back] = [createGate(), createGate()]
    const script = `chunk:a:one ${away.hold} chunk:a:two:append ${back.hold} chunk:a:three:append done`
    const leaving = await streamScript(caller, script)
    const id = await taskIdOf(leaving)
    leaving.cut()
    away.open()
    await until(async () => (await caller.get(id)).artifacts?.[0]?.parts[0]?.text === 'onetwo')
    const returned = await openStream(caller, 'SubscribeToTask', { id })
    back.open()
    const frames = await returned.rest()
    expect(frames[0]?.value?.task?.artifacts?.[0]?.parts).toEqual([{ text: 'onetwo' }])
    expect(shapes(frames).slice(1)).toEqual(['+a:three', 'COMPLETED'])
  })

  it('Case 2: whoever leaves around the last event leaves a task that is stored as it ended, 200 times (STRM-21, TASK-09)', async () => {
    const served = await serve({ store })
    const caller = callerOf(served, binding)
    const ids = await Promise.all(
      Array.from({ length: 200 }, async (_, round) => {
        await delay(round % 40)
        const stream = await streamScript(caller, `status:WORKING wait:${round % 7} chunk:a:x done`)
        const id = await taskIdOf(stream)
        if (round % 4 === 0) while (!stream.text.includes('COMPLETED') && (await stream.next()) !== undefined);
        else await delay(round % 21)
        stream.cut()
        return id
      }),
    )
    for (const id of ids) await until(async () => (await caller.get(id)).status.state === 'TASK_STATE_COMPLETED')
    expect(new Set(ids).size).toBe(200)
  })

  it('Case 2: nor does it matter when the last write is slow (STRM-21)', async () => {
    const served = await serve({ store })
    const slow = await serve({ store: slowStore(served.store, 50) })
    const caller = callerOf(slow, binding)
    for (const operation of ['SendStreamingMessage', 'SendMessage'] as const) {
      const connection = rawRequest(slow, binding, operation)
      let id = ''
      await until(async () => {
        const { tasks } = await caller.ok<{ tasks: { id: string; status: { state: string } }[] }>('ListTasks', {})
        const found = tasks.find(({ status }) => status.state === 'TASK_STATE_WORKING')
        id = found?.id ?? ''
        return found !== undefined
      })
      await delay(90)
      connection.cut()
      await until(async () => (await caller.get(id)).status.state === 'TASK_STATE_COMPLETED')
    }
  })

  it('Case 2: nor when the answer was asked for at once and nobody waits at all (SEND-04, SEND-12)', async () => {
    const served = await serve({ store })
    const caller = callerOf(served, binding)
    const { id, status } = await caller.send(script, atOnce)
    expect(['TASK_STATE_SUBMITTED', 'TASK_STATE_WORKING']).toContain(status.state)
    await until(async () => (await caller.get(id)).status.state === 'TASK_STATE_COMPLETED')
  })
})
