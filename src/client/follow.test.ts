import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../lib/json.ts'
import { resumeExtension } from '../protocol/extensions.ts'
import type { StreamResponse, Task } from '../protocol/generated/v1/types.ts'
import { applyEvent } from '../protocol/task.ts'
import type { Agent } from './agent.ts'
import type { ConnectOptions } from './options.ts'
import {
  beginStream,
  cardOf,
  chunkOf,
  connectFast,
  cut,
  type Peer,
  rpcFrame,
  type Script,
  sendJson,
  sendResult,
  startPeer,
  statusOf,
  taskOf,
  writePieces,
} from './testing.ts'

async function start(
  script: Script,
  { extensions = [], ...options }: { extensions?: string[] } & Omit<ConnectOptions, 'extensions'> = {},
): Promise<{ peer: Peer; agent: Agent }> {
  const peer = await startPeer(script)
  const capabilities = { streaming: true, extensions: extensions.map((uri) => ({ uri })) }
  return { peer, agent: await connectFast(cardOf(peer.url, { capabilities }), options) }
}

/** A task's whole story: event n of the log is at n - 1. */
const story: readonly JsonObject[] = [
  { task: taskOf('TASK_STATE_SUBMITTED') },
  statusOf('TASK_STATE_WORKING', { timestamp: '2026-01-01T00:00:01.000Z' }),
  chunkOf('a', 'one '),
  chunkOf('a', 'two ', { append: true }),
  chunkOf('b', 'other'),
  chunkOf('a', 'three', { append: true }),
  statusOf('TASK_STATE_COMPLETED', { timestamp: '2026-01-01T00:00:02.000Z' }),
]

/** The task as it stood at event n. */
function taskAt(count: number): Task {
  let task: Task | undefined
  for (const event of story.slice(0, count)) task = applyEvent(task, event as unknown as StreamResponse)
  return task as Task
}

const final = taskAt(story.length)

async function collect(agent: Agent): Promise<StreamResponse[]> {
  const events: StreamResponse[] = []
  for await (const event of agent.stream('go')) events.push(event)
  return events
}

function fold(events: readonly StreamResponse[]): Task {
  let task: Task | undefined
  for (const event of events) task = applyEvent(task, event)
  return task as Task
}

/** Serves the story like a server with the resume extension: a frame's id is its number. Each stream ends after `length` frames. */
function resumable(length: number, end: (response: Parameters<Script>[1]) => void): Script {
  return async (request, response) => {
    const after = Number(request.headers['last-event-id'] ?? 0)
    beginStream(response)
    const frames = story.map((event, at) => rpcFrame(request, event, at + 1)).slice(after, after + length)
    if (request.body.method === 'SubscribeToTask') frames.unshift(rpcFrame(request, { task: taskAt(after) }, after))
    await writePieces(response, frames)
    if (after + length >= story.length) response.end()
    else end(response)
  }
}

const ends: readonly { name: string; end: (response: Parameters<Script>[1]) => void }[] = [
  { name: 'cut', end: cut },
  { name: 'closed too early', end: (response) => response.end() },
  {
    name: 'ended in the middle of a frame',
    end: (response) => response.end('id: 99\ndata: {"jsonrpc":"2.0","id":1,"res'),
  },
  {
    name: 'ended by a passing error',
    end: (response) =>
      response.end(
        'event: error\ndata: {"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"x","data":[{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"0.001s"}]}}\n\n'.replace(
          '-32603',
          '-31429',
        ),
      ),
  },
]

describe('STRM-25: streams that break, against a server with the resume extension', () => {
  for (const { name, end } of ends) {
    test(`${name} at every event: each event once and in order`, async () => {
      for (let length = 1; length <= story.length; length++) {
        const { peer, agent } = await start(resumable(length, end), { extensions: [resumeExtension] })
        expect(await collect(agent)).toEqual(story)
        expect(peer.seen('SendStreamingMessage')).toHaveLength(1)
        const resumes = peer.seen('SubscribeToTask').map(({ headers }) => headers['last-event-id'])
        expect(resumes).toEqual(
          Array.from({ length: Math.ceil(story.length / length) - 1 }, (_, at) => String(length * (at + 1))),
        )
        for (const { headers } of peer.requests) expect(headers['a2a-extensions']).toBe(resumeExtension)
      }
    })
  }

  test('frames that were seen already are left out', async () => {
    const { agent } = await start(
      async (request, response) => {
        beginStream(response)
        const all = story.map((event, at) => rpcFrame(request, event, at + 1))
        if (request.body.method === 'SubscribeToTask')
          return void response.end(rpcFrame(request, { task: taskAt(4) }, 4) + all.slice(1).join(''))
        await writePieces(response, all.slice(0, 4))
        cut(response)
      },
      { extensions: [resumeExtension] },
    )
    expect(await collect(agent)).toEqual(story)
  })

  test('an agent that begins to count anew: the snapshot fills the gap, and what follows has its numbers', async () => {
    const { agent } = await start(
      async (request, response) => {
        beginStream(response)
        if (request.body.method === 'SubscribeToTask')
          return void response.end(
            rpcFrame(request, { task: taskAt(5) }, 1) +
              story
                .slice(5)
                .map((event, at) => rpcFrame(request, event, at + 2))
                .join(''),
          )
        await writePieces(
          response,
          story.slice(0, 4).map((event, at) => rpcFrame(request, event, at + 1)),
        )
        cut(response)
      },
      { extensions: [resumeExtension] },
    )
    expect(await collect(agent)).toEqual(story)
  })

  test('an id that has expired: the snapshot fills the gap', async () => {
    const { agent } = await start(
      async (request, response) => {
        beginStream(response)
        if (request.body.method === 'SubscribeToTask')
          return void response.end(rpcFrame(request, { task: final }, story.length))
        await writePieces(
          response,
          story.slice(0, 3).map((event, at) => rpcFrame(request, event, at + 1)),
        )
        cut(response)
      },
      { extensions: [resumeExtension] },
    )
    const events = await collect(agent)
    expect(fold(events).artifacts).toEqual(final.artifacts)
    expect(events.slice(3)).toEqual([chunkOf('a', 'two three', { append: true }), chunkOf('b', 'other'), story[6]])
  })
})

/** Serves the story like any other server: streams break after some frames, what happened meanwhile is only in the snapshot. */
function forgetful({
  lengths,
  missed,
  subscribe,
}: {
  lengths: readonly number[]
  missed: number
  subscribe: boolean
}): Script {
  let at = 0
  let streams = 0
  return async (request, response) => {
    if (request.body.method === 'GetTask') {
      at = Math.min(story.length, at + 1)
      return sendResult(response, request, taskAt(at))
    }
    const terminal = at >= story.length
    if (request.body.method === 'SubscribeToTask' && (terminal || !subscribe)) {
      return sendJson(response, {
        jsonrpc: '2.0',
        id: request.body.id,
        error: { code: subscribe ? -32004 : -32601, message: 'no' },
      })
    }
    beginStream(response)
    const first = at === 0 ? [] : [rpcFrame(request, { task: taskAt(at) })]
    const length = lengths[streams++ % lengths.length] as number
    const frames = story.slice(at, at + length).map((event) => rpcFrame(request, event))
    at = Math.min(story.length, at + length)
    await writePieces(response, [...first, ...frames])
    if (at >= story.length) return void response.end()
    at = Math.min(story.length, at + missed)
    cut(response)
  }
}

describe('STRM-25: streams that break, against any other server', () => {
  for (const subscribe of [true, false]) {
    test(`${subscribe ? 'SubscribeToTask' : 'GetTask alone'}: the events lead to the same task, no text twice`, async () => {
      for (let length = 1; length < story.length; length++) {
        for (const missed of [0, 1, 2, 5]) {
          const { peer, agent } = await start(forgetful({ lengths: [length], missed, subscribe }))
          const events = await collect(agent)
          expect(events[0]).toEqual(story[0])
          expect(fold(events)).toEqual(final)
          expect(events.filter(({ task }) => task !== undefined)).toHaveLength(1)
          expect(peer.seen('SendStreamingMessage')).toHaveLength(1)
          for (const { headers } of peer.requests) expect(headers['last-event-id']).toBeUndefined()
        }
      }
    })
  }

  test('a server that repeats its newest status and artifact after the snapshot', async () => {
    const { agent } = await start(async (request, response) => {
      beginStream(response)
      if (request.body.method === 'SubscribeToTask') {
        const again = [{ task: taskAt(5) }, story[1], story[4], story[5], story[6]]
        return void response.end(again.map((event) => rpcFrame(request, event)).join(''))
      }
      await writePieces(
        response,
        story.slice(0, 5).map((event) => rpcFrame(request, event)),
      )
      cut(response)
    })
    expect(await collect(agent)).toEqual(story)
  })

  test('silence breaks a stream, too, and a healthy one is picked up again', async () => {
    const { peer, agent } = await start(
      (request, response) => {
        beginStream(response)
        if (request.body.method === 'SendStreamingMessage')
          response.write(
            story
              .slice(0, 2)
              .map((event) => rpcFrame(request, event))
              .join(''),
          )
        else response.end([{ task: taskAt(2) }, ...story.slice(2)].map((event) => rpcFrame(request, event)).join(''))
      },
      { limits: { idle: 40 } },
    )
    expect(await collect(agent)).toEqual(story)
    expect(peer.seen('SubscribeToTask')).toHaveLength(1)
  })

  test('attempts in a row are limited, and the error says that the task may go on', async () => {
    const { peer, agent } = await start(
      async (request, response) => {
        if (request.body.method === 'SendStreamingMessage') {
          beginStream(response)
          await writePieces(response, [rpcFrame(request, story[0])])
        }
        cut(response)
      },
      { retry: { reconnects: 3, base: 1, cap: 2 } },
    )
    await expect(collect(agent)).rejects.toMatchObject({
      code: 'Unavailable',
      message: expect.stringMatching(/task t1 was lost.*may go on/),
    })
    expect(peer.seen('SubscribeToTask')).toHaveLength(4)
  })

  test('a lasting error ends the stream at once', async () => {
    const { peer, agent } = await start(async (request, response) => {
      if (request.body.method === 'SubscribeToTask')
        return sendJson(response, { jsonrpc: '2.0', id: 1, error: { code: -32603, message: 'broken' } })
      beginStream(response)
      await writePieces(response, [rpcFrame(request, story[0])])
      cut(response)
    })
    await expect(collect(agent)).rejects.toMatchObject({ code: 'Internal', origin: 'remote' })
    expect(peer.requests).toHaveLength(2)
  })

  for (const gone of [false, true]) {
    test(`a task that subscribing does not find is read${gone ? ', which tells that it is gone' : ''}`, async () => {
      const { agent } = await start(async (request, response) => {
        const { method, id } = request.body
        if (method === 'SubscribeToTask' || (gone && method === 'GetTask'))
          return sendJson(response, { jsonrpc: '2.0', id, error: { code: -32001, message: 'gone' } })
        if (method === 'GetTask') return sendResult(response, request, taskOf('TASK_STATE_COMPLETED'))
        beginStream(response)
        await writePieces(response, [rpcFrame(request, story[0])])
        cut(response)
      })
      const state = agent.send('go').then((result) => result.state)
      if (gone) await expect(state).rejects.toMatchObject({ code: 'TaskNotFound', origin: 'remote' })
      else expect(await state).toBe('TASK_STATE_COMPLETED')
    })
  }

  test('an abort while it waits to come back', async () => {
    const abort = new AbortController()
    const { agent } = await start(
      async (request, response) => {
        beginStream(response)
        await writePieces(response, [rpcFrame(request, story[0]), 'retry: 9000\n'])
        response.end()
        setTimeout(() => abort.abort(), 20)
      },
      { retry: { cap: 10_000 } },
    )
    await expect(agent.send('go', { signal: abort.signal })).rejects.toMatchObject({ code: 'Cancelled' })
  })
})

describe('subscribe', () => {
  test('a running task: as it stands, then each event; over a break as well', async () => {
    let streams = 0
    const { agent } = await start(async (request, response) => {
      if (request.body.method === 'GetTask') return sendResult(response, request, taskAt(3))
      streams += 1
      const [from, to] = streams === 1 ? [3, 5] : [6, 7]
      beginStream(response)
      await writePieces(
        response,
        [{ task: taskAt(from) }, ...story.slice(from, to)].map((event) => rpcFrame(request, event)),
      )
      if (to === 7) response.end()
      else cut(response)
    })
    const stream = agent.subscribe('t1')
    const events: StreamResponse[] = []
    for await (const event of stream) events.push(event)
    expect(events).toEqual([{ task: taskAt(3) }, story[3], story[4], story[5], story[6]])
    expect(await stream.result()).toMatchObject({ ok: true, text: 'one two three\nother' })
  })

  test('a task that has ended gives itself alone', async () => {
    const { peer, agent } = await start((request, response) => sendResult(response, request, final))
    expect(await agent.subscribe('t1').result()).toMatchObject({ ok: true, task: final })
    expect(peer.requests).toHaveLength(1)
  })

  test('goes on through a question, which another client answers', async () => {
    const question = statusOf('TASK_STATE_INPUT_REQUIRED')
    const { agent } = await start(async (request, response) => {
      if (request.body.method === 'GetTask') return sendResult(response, request, taskAt(2))
      beginStream(response)
      response.end(
        [{ task: taskAt(2) }, question, story[1], story[6]].map((event) => rpcFrame(request, event)).join(''),
      )
    })
    const states: unknown[] = []
    for await (const { task, statusUpdate } of agent.subscribe('t1')) states.push((task ?? statusUpdate)?.status.state)
    expect(states).toEqual([
      'TASK_STATE_WORKING',
      'TASK_STATE_INPUT_REQUIRED',
      'TASK_STATE_WORKING',
      'TASK_STATE_COMPLETED',
    ])
  })
})
