import { describe, expect, test } from 'vitest'
import {
  type Binding,
  bindings,
  collect,
  context,
  frame,
  startTransport,
  succeed,
} from '../../test/client/transport.ts'
import { beginStream, cut, sendJson, taskOf, writePieces } from '../client/testing.ts'

for (const binding of bindings) {
  describe(`streams over ${binding}`, () => {
    const events = [
      { task: taskOf('TASK_STATE_SUBMITTED') },
      { statusUpdate: { taskId: 't1', contextId: 'c1', status: { state: 'TASK_STATE_COMPLETED' } } },
    ]

    test('SSE-03: frames split anywhere, with comments, ids and CRLF', async () => {
      const text = `: hello\n\n${frame(binding, events[0], 4)}: ping\n\n${frame(binding, events[1], 5)}`.replaceAll(
        '\n',
        '\r\n',
      )
      const all = new TextEncoder().encode(text.replace('c1', 'c€'))
      for (let at = 1; at < all.length; at += 7) {
        const { endpoint } = await startTransport(binding, async (_, response) => {
          beginStream(response)
          await writePieces(response, [all.subarray(0, at), all.subarray(at)])
          response.end()
        })
        const { ids, values } = await collect(endpoint)
        expect(ids).toEqual([4, 5])
        expect(values).toEqual(JSON.parse(JSON.stringify(events).replace('c1', 'c€')))
      }
    })

    test('JRPC-25: an error as an event, first or later, named or not', async () => {
      const error =
        binding === 'JSONRPC'
          ? { jsonrpc: '2.0', id: 1, error: { code: -32004, message: 'no' } }
          : { error: { code: 400, status: 'FAILED_PRECONDITION', message: 'no' } }
      for (const head of ['', 'event: error\n']) {
        for (const before of ['', frame(binding, events[0])]) {
          const { endpoint } = await startTransport(binding, (_, response) => {
            beginStream(response)
            response.end(`${before}${head}data: ${JSON.stringify(error)}\n\n`)
          })
          const seen: unknown[] = []
          const run = async (): Promise<void> => {
            const reply = await endpoint.stream({ operation: 'SubscribeToTask', request: { id: 't1' }, context })
            for await (const group of reply.events) seen.push(...group)
          }
          await expect(run()).rejects.toMatchObject({ code: 'UnsupportedOperation', origin: 'remote', message: 'no' })
          expect(seen).toHaveLength(before === '' ? 0 : 1)
        }
      }
    })

    test('AMB-55: an error before the stream is an ordinary answer', async () => {
      const body =
        binding === 'JSONRPC'
          ? { jsonrpc: '2.0', id: 1, error: { code: -32001, message: 'no' } }
          : { error: { code: 404, status: 'NOT_FOUND', message: 'no' } }
      const { endpoint } = await startTransport(binding, (_, response) =>
        sendJson(response, body, binding === 'JSONRPC' ? 200 : 404),
      )
      await expect(collect(endpoint)).rejects.toMatchObject({
        code: binding === 'JSONRPC' ? 'TaskNotFound' : 'NotFound',
      })
    })

    test('oddities are read, each with a warning', async () => {
      const other: Binding = binding === 'JSONRPC' ? 'HTTP+JSON' : 'JSONRPC'
      const artifact = { artifactId: 'a', parts: [{ text: 'x' }] }
      const { endpoint, warnings } = await startTransport(binding, (_, response) => {
        beginStream(response)
        const wrongAppend = { artifactUpdate: { taskId: 't1', contextId: 'c1', artifact, append: 'true' } }
        const bare = { taskId: 't1', contextId: 'c1', artifact }
        const frames = [
          frame(other, events[0]),
          frame(binding, wrongAppend),
          frame(binding, bare),
          'data: [DONE]\n\n',
          frame(binding, events[1]).trimEnd(),
        ]
        response.end(frames.join(''))
      })
      const { values } = await collect(endpoint)
      expect(values).toEqual([
        events[0],
        { artifactUpdate: { taskId: 't1', contextId: 'c1', artifact, append: true } },
        { artifactUpdate: { taskId: 't1', contextId: 'c1', artifact } },
        events[1],
      ])
      expect(warnings.map((text) => text.replace(/:.*/, ''))).toEqual([
        'stream',
        'StreamResponse',
        'StreamResponse',
        'stream',
        'stream',
      ])
    })

    test('a plain JSON answer counts as a stream of one event', async () => {
      const { endpoint, warnings } = await startTransport(binding, (request, response) =>
        succeed(binding, response, { request, result: events[0] }),
      )
      expect((await collect(endpoint)).values).toEqual([events[0]])
      expect(warnings).toEqual([expect.stringMatching(/one JSON document/)])
    })

    test('a connection that is cut is Unavailable, after the events that came', async () => {
      for (const tail of ['', frame(binding, events[1]).slice(0, 30)]) {
        const { endpoint } = await startTransport(binding, async (_, response) => {
          beginStream(response)
          await writePieces(response, [frame(binding, events[0]), tail || ': x\n'])
          if (tail === '') cut(response)
          else response.end()
        })
        const seen: unknown[] = []
        const run = async (): Promise<void> => {
          const reply = await endpoint.stream({ operation: 'SubscribeToTask', request: { id: 't1' }, context })
          for await (const group of reply.events) seen.push(...group)
        }
        await expect(run()).rejects.toMatchObject({ code: 'Unavailable', retryable: true })
        expect(seen).toHaveLength(1)
      }
    })

    test('silence ends a stream, comments keep it; there is no limit for its length', async () => {
      const { endpoint } = await startTransport(
        binding,
        async (_, response) => {
          beginStream(response)
          response.write(frame(binding, events[0]))
          for (let beat = 0; beat < 8; beat++) {
            await new Promise((resolve) => setTimeout(resolve, 25))
            response.write(': beat\n\n')
          }
          response.write(frame(binding, events[1]))
        },
        { transport: { limits: { idle: 100 } } },
      )
      const seen: unknown[] = []
      const run = async (): Promise<void> => {
        const reply = await endpoint.stream({ operation: 'SubscribeToTask', request: { id: 't1' }, context })
        for await (const group of reply.events) seen.push(...group)
      }
      await expect(run()).rejects.toMatchObject({
        code: 'DeadlineExceeded',
        message: expect.stringMatching(/silent for 100 ms/),
      })
      expect(seen).toHaveLength(2)
    })

    test('the first event may take longer than a silence within the stream', async () => {
      const { endpoint } = await startTransport(
        binding,
        async (_, response) => {
          beginStream(response)
          await new Promise((resolve) => setTimeout(resolve, 120))
          response.end(frame(binding, events[0]))
        },
        { transport: { limits: { idle: 30, firstByte: 5_000 } } },
      )
      expect((await collect(endpoint)).values).toEqual([events[0]])
    })

    test('a frame over the limit is refused', async () => {
      const { endpoint } = await startTransport(
        binding,
        (_, response) => {
          beginStream(response)
          response.write(`data: ${'x'.repeat(3000)}`)
        },
        { transport: { limits: { bytes: 2000 } } },
      )
      await expect(collect(endpoint)).rejects.toMatchObject({
        code: 'InvalidAgentResponse',
        message: expect.stringMatching(/longer than 2000/),
      })
    })

    test('leaving the loop closes the connection', async () => {
      let closed: (() => void) | undefined
      const gone = new Promise<void>((resolve) => {
        closed = resolve
      })
      const { endpoint } = await startTransport(binding, (_, response) => {
        response.on('close', () => closed?.())
        beginStream(response)
        response.write(frame(binding, events[0]))
      })
      const reply = await endpoint.stream({ operation: 'SubscribeToTask', request: { id: 't1' }, context })
      for await (const _ of reply.events) break
      await gone
    })
  })
}
