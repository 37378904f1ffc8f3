import { expect, test, vi } from 'vitest'
import { type SseFrame, SseStreams, sseText } from './sse.ts'

const framing = { prefix: '<', suffix: '>', error: (reason: unknown) => `!${String(reason)}` }

async function readAll(source: AsyncIterable<string>): Promise<string> {
  let text = ''
  for await (const piece of source) text += piece
  return text
}

/** A source that is fed by hand. */
function createSource(): AsyncIterable<readonly SseFrame[]> & {
  push(...frames: SseFrame[]): void
  end(): void
  fail(reason: unknown): void
  left: boolean
} {
  const waiting: ((settle: () => IteratorResult<readonly SseFrame[]>) => void)[] = []
  const ready: (() => IteratorResult<readonly SseFrame[]>)[] = []
  function settle(outcome: () => IteratorResult<readonly SseFrame[]>): void {
    const next = waiting.shift()
    if (next) next(outcome)
    else ready.push(outcome)
  }
  const source = {
    left: false,
    push: (...frames: SseFrame[]) => settle(() => ({ done: false, value: frames })),
    end: () => settle(() => ({ done: true, value: undefined })),
    fail: (reason: unknown) =>
      settle(() => {
        throw reason
      }),
    [Symbol.asyncIterator]: () => ({
      next: () =>
        new Promise<IteratorResult<readonly SseFrame[]>>((resolve, reject) => {
          const take = (outcome: () => IteratorResult<readonly SseFrame[]>): void => {
            try {
              resolve(outcome())
            } catch (error) {
              reject(error)
            }
          }
          const outcome = ready.shift()
          if (outcome) take(outcome)
          else waiting.push(take)
        }),
      return: async () => {
        source.left = true
        return { done: true as const, value: undefined }
      },
    }),
  }
  return source
}

test('SSE-02 each frame is one data line and an empty line, with its number', () => {
  expect(sseText([{ id: 3, text: '{"a":1}' }, { text: '{}' }], framing)).toBe(
    'id: 3\ndata: <{"a":1}>\n\ndata: <{}>\n\n',
  )
})

test('SSE-07 a stream ends with its source and without a sentinel; each group is one piece', async () => {
  const streams = new SseStreams({ keepAlive: 0, retry: 50 })
  const source = createSource()
  source.push({ id: 1, text: 'a' }, { id: 2, text: 'b' })
  source.push()
  source.push({ id: 3, text: 'c' })
  source.end()
  const pieces: string[] = []
  for await (const piece of streams.open(source, framing)) pieces.push(piece)
  expect(pieces).toEqual(['id: 1\ndata: <a>\n\nid: 2\ndata: <b>\n\n', 'id: 3\ndata: <c>\n\n'])
  expect(streams.size).toBe(0)
})

test('JRPC-25 an error after the start is one event, then the end', async () => {
  const streams = new SseStreams({ keepAlive: 0, retry: 50 })
  const source = createSource()
  source.push({ text: 'a' })
  source.fail('broken')
  expect(await readAll(streams.open(source, framing))).toBe('data: <a>\n\ndata: !broken\n\n')
  expect(streams.size).toBe(0)
})

test('SSE-10 leaving the stream leaves the source, also while it waits', async () => {
  const streams = new SseStreams({ keepAlive: 0, retry: 50 })
  const source = createSource()
  const stream = streams.open(source, framing)
  const pending = stream.next()
  await stream.return?.()
  expect(await pending).toEqual({ done: true, value: undefined })
  expect(source.left).toBe(true)
  expect(streams.size).toBe(0)
  source.push({ text: 'late' })
  expect(await stream.next()).toEqual({ done: true, value: undefined })
})

test('SSE-06 a silent stream gets comments between frames, a busy one none', async () => {
  vi.useFakeTimers()
  try {
    const streams = new SseStreams({ keepAlive: 100, retry: 50 })
    const source = createSource()
    const stream = streams.open(source, framing)
    const first = stream.next()
    await vi.advanceTimersByTimeAsync(100)
    expect(await first).toEqual({ done: false, value: ': keep-alive\n\n' })
    const second = stream.next()
    source.push({ text: 'a' })
    expect(await second).toEqual({ done: false, value: 'data: <a>\n\n' })
    const third = stream.next()
    await vi.advanceTimersByTimeAsync(50)
    source.push({ text: 'b' })
    expect(await third).toEqual({ done: false, value: 'data: <b>\n\n' })
    // Nobody reads: no comments pile up, and the frame that comes meanwhile is kept.
    await vi.advanceTimersByTimeAsync(1_000)
    source.end()
    expect(await readAll(stream)).toBe('')
    expect(vi.getTimerCount()).toBe(0)
  } finally {
    vi.useRealTimers()
  }
})

test('a comment given while the source is busy loses no frame', async () => {
  vi.useFakeTimers()
  try {
    const streams = new SseStreams({ keepAlive: 100, retry: 50 })
    const source = createSource()
    const stream = streams.open(source, framing)
    const comment = stream.next()
    await vi.advanceTimersByTimeAsync(100)
    await comment
    source.push({ text: 'a' })
    await vi.advanceTimersByTimeAsync(1)
    source.push({ text: 'b' })
    source.end()
    expect(await readAll(stream)).toBe('data: <a>\n\ndata: <b>\n\n')
  } finally {
    vi.useRealTimers()
  }
})

test('a drained server tells its readers when to come back', async () => {
  const streams = new SseStreams({ keepAlive: 0, retry: 50 })
  const ended = createSource()
  const cut = createSource()
  const texts = [readAll(streams.open(ended, framing)), readAll(streams.open(cut, framing))]
  streams.drain()
  ended.push({ text: 'a' })
  ended.end()
  expect(await texts[0]).toBe('data: <a>\n\nretry: 50\n\n')
  streams.end()
  expect(await texts[1]).toBe('retry: 50\n\n')
  expect(cut.left).toBe(true)
})

test('frames that are together too long for one string are written one after the other', async () => {
  const text = 'x'.repeat(200_000_000)
  const source = createSource()
  const stream = new SseStreams({ keepAlive: 0, retry: 1_000 }).open(source, framing)
  source.push({ id: 1, text }, { id: 2, text: 'short' }, { id: 3, text }, { id: 4, text })
  source.end()
  const lengths: number[] = []
  for await (const piece of stream) lengths.push(piece.length)
  const frame = 'id: 1\ndata: <>\n\n'.length
  expect(lengths).toEqual([frame + text.length, 2 * frame + 'short'.length + text.length, frame + text.length])
})
