import { describe, expect, test } from 'vitest'
import { bindings, collect, context, startTransport, succeed } from '../../test/client/transport.ts'
import { sendJson, taskOf } from '../client/testing.ts'
import type { Endpoint } from '../protocol/endpoint.ts'

for (const binding of bindings) {
  describe(`answers over ${binding}`, () => {
    const get = (endpoint: Endpoint) => endpoint.unary({ operation: 'GetTask', request: { id: 't1' }, context })

    test('JRPC-19 ERR-32: the error in the body counts, whatever the HTTP status', async () => {
      for (const status of [200, 400, 404, 500]) {
        const error = {
          code: binding === 'JSONRPC' ? -32001 : status,
          status: 'NOT_FOUND',
          message: 'no such task',
          details: [],
          data: [],
        }
        const details = [
          { '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason: 'TASK_NOT_FOUND', domain: 'a2a-protocol.org' },
        ]
        const body = { jsonrpc: '2.0', id: 1, error: { ...error, details, data: details } }
        const { endpoint } = await startTransport(binding, (_, response) => sendJson(response, body, status))
        await expect(get(endpoint)).rejects.toMatchObject({
          code: 'TaskNotFound',
          message: 'no such task',
          origin: 'remote',
        })
        await expect(collect(endpoint)).rejects.toMatchObject({ code: 'TaskNotFound', origin: 'remote' })
      }
    })

    test('HTML instead of JSON', async () => {
      const { endpoint } = await startTransport(
        binding,
        (_, response) => void response.writeHead(200, { 'content-type': 'text/html' }).end('<html>'),
      )
      await expect(get(endpoint)).rejects.toMatchObject({
        code: 'InvalidAgentResponse',
        message: expect.stringMatching(/not JSON \(text\/html\)/),
      })
    })

    test('a page of a proxy with its status', async () => {
      const { endpoint } = await startTransport(
        binding,
        (_, response) => void response.writeHead(502, { 'content-type': 'text/html' }).end('<html>'),
      )
      await expect(get(endpoint)).rejects.toMatchObject({
        code: 'Unavailable',
        retryable: true,
        message: expect.stringMatching(/502/),
      })
    })

    test('a wrong answer is reported by its path', async () => {
      const result = { ...taskOf('TASK_STATE_WORKING'), artifacts: [{ artifactId: 7, parts: [{ text: 'x' }] }] }
      const { endpoint } = await startTransport(binding, (request, response) =>
        succeed(binding, response, { request, result }),
      )
      await expect(get(endpoint)).rejects.toMatchObject({
        code: 'InvalidAgentResponse',
        message: expect.stringMatching(/artifacts\[0\]\.artifactId: must be a string/),
      })
    })

    test('oddities are repaired, each with a warning', async () => {
      const result = {
        task: { ...taskOf('TASK_STATE_WORKING'), artifacts: null, history: [], future: 1, metadata: null },
      }
      const { endpoint, warnings } = await startTransport(binding, (request, response) =>
        succeed(binding, response, { request, result }),
      )
      expect((await get(endpoint)).result.value).toEqual(taskOf('TASK_STATE_WORKING'))
      expect(warnings).toEqual([expect.stringMatching(/wrapped/)])
    })

    test('an answer over the limit is given up', async () => {
      const result = taskOf('TASK_STATE_WORKING', { metadata: { x: 'x'.repeat(5000) } })
      const { endpoint } = await startTransport(
        binding,
        (request, response) => succeed(binding, response, { request, result }),
        { transport: { limits: { bytes: 1000 } } },
      )
      await expect(get(endpoint)).rejects.toMatchObject({
        code: 'InvalidAgentResponse',
        message: expect.stringMatching(/more than 1000 bytes/),
      })
    })

    test('no first byte in time', async () => {
      const { endpoint } = await startTransport(binding, () => {}, { transport: { limits: { firstByte: 30 } } })
      await expect(get(endpoint)).rejects.toMatchObject({
        code: 'DeadlineExceeded',
        message: expect.stringMatching(/30 ms/),
      })
    })

    test('nobody there: Unavailable, with the URL, and surely not delivered', async () => {
      const { peer, endpoint } = await startTransport(binding, () => {})
      await peer.close()
      await expect(get(endpoint)).rejects.toMatchObject({
        code: 'Unavailable',
        origin: 'local',
        message: expect.stringMatching(/^Cannot reach http:\/\/127\.0\.0\.1:\d+\/base\/.*ECONNREFUSED/),
        metadata: { delivered: 'no' },
      })
    })

    test('aborting ends the call', async () => {
      const abort = new AbortController()
      const { endpoint } = await startTransport(binding, () => abort.abort(new Error('enough')))
      const call = endpoint.unary({
        operation: 'GetTask',
        request: { id: 't1' },
        context: { ...context, signal: abort.signal },
      })
      await expect(call).rejects.toMatchObject({
        code: 'Cancelled',
        cause: expect.objectContaining({ message: 'enough' }),
      })
      const late = endpoint.unary({
        operation: 'GetTask',
        request: { id: 't1' },
        context: { ...context, signal: abort.signal },
      })
      await expect(late).rejects.toMatchObject({ code: 'Cancelled' })
    })

    test('redirects: 307 and 308 are followed without the credentials of another origin', async () => {
      const { peer: other } = await startTransport(binding, (request, response) =>
        succeed(binding, response, { request, result: taskOf('TASK_STATE_WORKING') }),
      )
      const { endpoint } = await startTransport(
        binding,
        (_, response) => void response.writeHead(308, { location: `${other.url}/there` }).end(),
        {
          transport: {
            headers: async (url): Promise<Record<string, string>> =>
              url.origin === other.url ? {} : { authorization: 'Bearer t' },
          },
        },
      )
      expect((await get(endpoint)).result.value.id).toBe('t1')
      expect(other.requests[0]?.headers.authorization).toBeUndefined()
    })
  })
}
