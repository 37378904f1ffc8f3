import { describe, expect, test } from 'vitest'
import { idempotencyExtension, resumeExtension } from '../protocol/extensions.ts'
import { cut, prompt, type Script, sendJson, sendResult, startAgent, streaming, taskOf } from './testing.ts'

describe('repeating calls', () => {
  const failures: readonly { name: string; fail: Script }[] = [
    { name: 'a cut connection', fail: (_, response) => cut(response) },
    { name: '503 with Retry-After', fail: (_, response) => sendJson(response, {}, 503, { 'retry-after': '0' }) },
    { name: '429', fail: (_, response) => sendJson(response, {}, 429) },
  ]
  for (const { name, fail } of failures) {
    for (const streams of [true, false]) {
      test(`${name}: a ${streams ? 'streamed' : 'plain'} send is repeated with the same key where the card declares it`, async () => {
        let calls = 0
        const { peer, agent } = await startAgent(
          (request, response) => {
            calls += 1
            if (calls < 3) return fail(request, response)
            if (streams) return streaming({ message: prompt })(request, response)
            sendResult(response, request, { message: prompt })
          },
          { card: { capabilities: { streaming: streams, extensions: [{ uri: idempotencyExtension }] } } },
        )
        expect((await agent.send('hi')).text).toBe('which city?')
        const keys = new Set(peer.requests.map(({ headers }) => headers['idempotency-key']))
        expect(peer.requests).toHaveLength(3)
        expect(keys.size).toBe(1)
        expect([...keys][0]).toMatch(/^[\da-f-]{36}$/)
        expect(new Set(peer.requests.map(({ text }) => JSON.stringify(JSON.parse(text).params))).size).toBe(1)
        expect(peer.requests[0]?.headers['a2a-extensions']).toBe(idempotencyExtension)
      })

      test(`${name}: a ${streams ? 'streamed' : 'plain'} send is never repeated without the extension`, async () => {
        const { peer, agent } = await startAgent(fail, {
          card: { capabilities: { streaming: streams, extensions: [{ uri: resumeExtension }] } },
        })
        await expect(agent.send('hi')).rejects.toMatchObject({ retryable: true })
        expect(peer.requests).toHaveLength(1)
        expect(peer.requests[0]?.headers).not.toHaveProperty('idempotency-key')
      })
    }

    test(`${name}: a read is repeated`, async () => {
      let calls = 0
      const { agent } = await startAgent((request, response) => {
        calls += 1
        if (calls < 3) return fail(request, response)
        sendResult(response, request, taskOf('TASK_STATE_WORKING'))
      })
      expect((await agent.get('t1')).id).toBe('t1')
    })
  }

  test('a keyed send is not repeated after a plain 503, a lasting error, or a delay beyond the limit', async () => {
    const lasting: readonly Script[] = [
      (_, response) => sendJson(response, {}, 503),
      (_, response) => sendJson(response, {}, 403),
      (_, response) => sendJson(response, {}, 429, { 'retry-after': '3600' }),
    ]
    for (const fail of lasting) {
      const { peer, agent } = await startAgent(fail, {
        card: { capabilities: { extensions: [{ uri: idempotencyExtension }] } },
      })
      await expect(agent.send('hi')).rejects.toMatchObject({ origin: 'remote' })
      expect(peer.requests).toHaveLength(1)
    }
  })

  test('repeating ends after the number of attempts, and with the signal', async () => {
    const { peer, agent } = await startAgent((_, response) => cut(response), { retry: { calls: 2, base: 1, cap: 5 } })
    await expect(agent.get('t1')).rejects.toMatchObject({ code: 'Unavailable' })
    expect(peer.requests).toHaveLength(3)
    const abort = new AbortController()
    const { agent: slow } = await startAgent(
      (_, response) => {
        sendJson(response, {}, 429, { 'retry-after': '5' })
        setTimeout(() => abort.abort(), 20)
      },
      { retry: { cap: 10_000 } },
    )
    await expect(slow.get('t1', { signal: abort.signal })).rejects.toMatchObject({ code: 'Cancelled' })
  })
})
