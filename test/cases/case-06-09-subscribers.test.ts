import { describe, expect, it } from 'vitest'
import { artifact } from '../../src/engine/executor.ts'
import type { Task } from '../../src/protocol/generated/v1/types.ts'
import { delay, textOf } from '../harness.ts'
import { fold, openStream, type SeenFrame, shapes, streamScript, taskIdOf } from './raw-stream.ts'
import { createGate, scriptedAgent } from './scripted-agent.ts'
import { fullMatrix, serve } from './served.ts'
import { atOnce, callerOf } from './wire.ts'

describe.each(fullMatrix)('over $binding and $store', ({ store, binding }) => {
  it('Case 6: 500 that subscribe around the end each see all of it, or are told that it is over (SUB-02, SUB-03, SUB-04, SUB-05)', async () => {
    const served = await serve({ store })
    const caller = callerOf(served, binding)
    const gate = createGate()
    const { id } = await caller.send(`${gate.hold} chunk:a:x chunk:a:y:append wait:1 chunk:a:z:append done`, atOnce)
    let opened = 0
    const readers = Array.from({ length: 500 }, async (_, index): Promise<SeenFrame[] | 'over'> => {
      await delay(index % 20)
      const stream = await openStream(caller, 'SubscribeToTask', { id })
      opened += 1
      if (opened === 250) gate.open()
      const frames = await stream.rest()
      if (frames.length > 0 && frames[0]?.error === undefined) return frames
      expect(stream.text).toContain('UNSUPPORTED_OPERATION')
      return 'over'
    })
    const seen = await Promise.all(readers)
    const stored = await caller.get(id)
    expect(textOf({ messageId: '', role: 'ROLE_AGENT', parts: stored.artifacts?.[0]?.parts ?? [] })).toBe('xyz')
    for (const frames of seen) {
      if (frames === 'over') continue
      expect(frames[0]?.value?.task?.status.state).toBe('TASK_STATE_SUBMITTED')
      expect(fold(frames)).toEqual(stored)
      const ids = frames.map((frame) => frame.id ?? Number.NaN)
      expect(ids).toEqual(ids.map((_, index) => (ids[0] ?? 0) + index))
    }
    expect(seen.filter((frames) => frames !== 'over').length).toBeGreaterThan(200)
  })

  it('Case 6: readers that come at any point of a long stream see no gap and nothing twice (SUB-03, SUB-12, STRM-10, STRM-19)', async () => {
    const served = await serve({ store })
    const caller = callerOf(served, binding)
    const gate = createGate()
    const { id } = await caller.send(`${gate.hold} chunks:a:300 wait:5 chunks:b:300 wait:5 chunks:c:300 done`, atOnce)
    const readers = Array.from({ length: 40 }, async (_, index) => {
      await delay(index)
      if (index === 10) gate.open()
      const stream = await openStream(caller, 'SubscribeToTask', { id })
      return await stream.rest()
    })
    const seen = await Promise.all(readers)
    const stored = await caller.get(id)
    const told = seen.filter((frames) => frames.length > 0 && frames[0]?.error === undefined)
    for (const frames of told) expect(fold(frames)).toEqual(stored)
    expect(told[0]).toBe(seen[0])
  })

  it('Case 6: the first frame is the task as it stands, and a question is heard (SUB-01, SUB-02, SUB-08, AMB-07)', async () => {
    const served = await serve({ store })
    const caller = callerOf(served, binding)
    const { id } = await caller.send('status:INPUT_REQUIRED:which?')
    const [subscribed, another] = await Promise.all([0, 1].map(() => openStream(caller, 'SubscribeToTask', { id })))
    const follow = await streamScript(caller, 'status:WORKING status:INPUT_REQUIRED:sure?', { message: { taskId: id } })
    expect(shapes(await follow.rest())).toEqual(['task INPUT_REQUIRED', 'WORKING', 'INPUT_REQUIRED'])
    await caller.send('done', { message: { taskId: id } })
    const frames = (await subscribed?.rest()) ?? []
    expect(shapes(frames)).toEqual(['task INPUT_REQUIRED', 'WORKING', 'INPUT_REQUIRED', 'COMPLETED'])
    expect(await another?.rest()).toEqual(frames)
  })

  it('Case 6: a stream of a finished task can be asked for again and again (SUB-05)', async () => {
    const served = await serve({ store })
    const caller = callerOf(served, binding)
    const { id } = await caller.send('done')
    for (let time = 0; time < 3; time++) {
      expect(await caller.fails('SubscribeToTask', { id })).toMatchObject({ reason: 'UNSUPPORTED_OPERATION' })
    }
  })

  it('Case 9: appended chunks are one artifact, on the stream, in the store and in a late snapshot (STRM-14, STRM-15, STRM-16)', async () => {
    const served = await serve({ store })
    const caller = callerOf(served, binding)
    const gate = createGate()
    const stream = await streamScript(caller, `chunk:a:Hel chunk:a:lo:append chunk:a:!:append:last ${gate.hold} done`)
    const id = await taskIdOf(stream)
    const frames = [await stream.next(), await stream.next(), await stream.next()]
    const updates = frames.map((frame) => frame?.value?.artifactUpdate)
    expect(updates.map((update) => [update?.append, update?.lastChunk])).toEqual([
      [undefined, undefined],
      [true, undefined],
      [true, true],
    ])
    expect(updates.map((update) => update?.artifact)).toMatchObject([
      { artifactId: 'a', parts: [{ text: 'Hel' }], metadata: { k: 1 } },
      { artifactId: 'a', parts: [{ text: 'lo' }], metadata: { k: 2 } },
      { artifactId: 'a', parts: [{ text: '!' }], metadata: { k: 3 } },
    ])
    const whole = { artifactId: 'a', parts: [{ text: 'Hello!' }], metadata: { k: 3, k1: true, k2: true, k3: true } }
    const late = await openStream(caller, 'SubscribeToTask', { id })
    expect((await late.next())?.value?.task?.artifacts).toEqual([whole])
    gate.open()
    await stream.ended()
    expect((await caller.get(id)).artifacts).toEqual([whole])
  })

  it.each<[name: string, script: string, artifacts: Record<string, unknown>[]]>([
    [
      'a chunk without append replaces',
      'chunk:a:one chunk:a:two',
      [{ artifactId: 'a', parts: [{ text: 'two' }], metadata: { k: 2, k2: true } }],
    ],
    ['append to nothing makes one', 'chunk:a:one:append', [{ artifactId: 'a', parts: [{ text: 'one' }] }]],
    [
      'two grow side by side',
      'chunk:a:1 chunk:b:x chunk:a:2:append chunk:b:y:append',
      [{ parts: [{ text: '12' }] }, { parts: [{ text: 'xy' }] }],
    ],
    ['what was closed may be replaced', 'chunk:a:one:last chunk:a:two', [{ parts: [{ text: 'two' }] }]],
    [
      'characters that JSON escapes',
      'chunk:a:%22%0A%5C chunk:a:%E2%80%A8%F0%9F%98%80:append',
      [{ parts: [{ text: '"\n\\\u2028😀' }] }],
    ],
    ['an empty piece', 'chunk:a:x chunk:a::append chunk:a:y:append', [{ parts: [{ text: 'xy' }] }]],
  ])('Case 9: %s (STRM-14, STRM-15)', async (_, script, artifacts) => {
    const served = await serve({ store })
    const caller = callerOf(served, binding)
    const frames = await (await streamScript(caller, script)).rest()
    const stored = await caller.get(frames[0]?.value?.task?.id ?? '')
    expect(stored.artifacts).toMatchObject(artifacts)
    expect(fold(frames)).toEqual(stored)
  })

  it('Case 9: a later turn of the task goes on with an artifact of an earlier one (STRM-15)', async () => {
    const served = await serve({ store })
    const caller = callerOf(served, binding)
    const { id } = await caller.send('chunk:a:one, status:INPUT_REQUIRED:more?')
    const follow = await streamScript(caller, 'chunk:a:two:append:last done', { message: { taskId: id } })
    const frames = await follow.rest()
    const { artifacts } = await caller.get(id)
    expect(artifacts).toMatchObject([{ artifactId: 'a', parts: [{ text: 'one,two' }] }])
    expect(fold(frames)?.artifacts).toEqual(artifacts)
  })

  it('Case 9: nothing that a chunk says of its artifact is dropped, and parts that differ stay apart (DM-01)', async () => {
    const run = async function* () {
      const artifactId = 'a'
      yield artifact([{ text: 'x' }, { data: { n: 1 } }], {
        artifactId,
        name: 'first',
        metadata: { a: 1 },
        extensions: ['urn:x'],
      })
      yield artifact([{ text: 'y', mediaType: 'text/plain' }], {
        artifactId,
        append: true,
        description: 'told later',
        metadata: { b: 2 },
      })
      yield artifact(
        [
          { text: 'z', mediaType: 'text/plain' },
          { raw: 'aGk=', filename: 'hi' },
        ],
        { artifactId, append: true, extensions: ['urn:y'] },
      )
    }
    const served = await serve({ store, agent: scriptedAgent({ run }) })
    const caller = callerOf(served, binding)
    const frames = await (await streamScript(caller, 'go')).rest()
    const stored: Task = await caller.get(frames[0]?.value?.task?.id ?? '')
    expect(stored.artifacts).toEqual([
      {
        artifactId: 'a',
        name: 'first',
        description: 'told later',
        metadata: { a: 1, b: 2 },
        extensions: ['urn:x', 'urn:y'],
        parts: [
          { text: 'x' },
          { data: { n: 1 } },
          { text: 'yz', mediaType: 'text/plain' },
          { raw: 'aGk=', filename: 'hi' },
        ],
      },
    ])
    expect(fold(frames)).toEqual(stored)
  })
})
