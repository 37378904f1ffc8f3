import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { readMetrics } from '../../src/observe/testing.ts'
import { delay } from '../harness.ts'
import { acrobat, endAll, parlance, serving, temporaryFolder } from './kit.ts'

afterAll(endAll)

async function send(url: string): Promise<void> {
  const message = { messageId: crypto.randomUUID(), role: 'ROLE_USER', parts: [{ text: 'hello' }] }
  const answer = await fetch(`${url}/invoke`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'a2a-version': '1.0', connection: 'close' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'SendMessage', params: { message } }),
  })
  expect(await answer.json()).toHaveProperty('result.task')
}

async function scrape(admin: unknown): Promise<ReadonlyMap<string, number>> {
  return readMetrics(await (await fetch(`${admin}/metrics`, { headers: { connection: 'close' } })).text())
}

test('SEC-67 the metrics of all workers are told together, whichever is asked', { timeout: 40_000 }, async () => {
  const store = join(temporaryFolder(), 'tasks.db')
  const server = await serving([acrobat, '-s', store, '--workers', '2', '--admin-listen', '127.0.0.1:0'])
  const { admin } = server.announced
  // The second worker begins after the first.
  while (workers(server.err()) < 2) await delay(20)
  for (let number = 0; number < 8; number++) await send(server.url)
  for (let number = 0; number < 4; number++) {
    const values = await scrape(admin)
    expect(values.get('parlance_calls_total{method="SendMessage",binding="JSONRPC",outcome="ok"}')).toBe(8)
    expect(values.get('parlance_runs_started_total')).toBe(8)
  }
  expect(await (await fetch(`${admin}/readyz`)).json()).toMatchObject({
    status: 'ready',
    checks: { store: { kind: 'sqlite' } },
  })
})

/** How many workers say that they take calls. */
function workers(err: string): number {
  return err.split('The worker takes calls').length - 1
}

test('SEC-67 a log in JSON has ids of tasks, and no texts of users', { timeout: 20_000 }, async () => {
  const server = await serving([acrobat, '-s', 'memory', '--log-format', 'json', '--log-level', 'info'])
  await send(server.url)
  while (!server.err().includes('A run ended')) await delay(20)
  const line = server
    .err()
    .split('\n')
    .find((each) => each.includes('A run ended'))
  expect(JSON.parse(line ?? '')).toMatchObject({ level: 'info', state: 'completed', taskId: expect.any(String) })
  expect(server.err()).not.toContain('hello')
})

test.each([
  [['--log-level', 'loud'], 'log-level'],
  [['--otlp', 'nowhere'], '--otlp'],
  [['--admin-listen', 'a:b:c'], 'listen'],
])('%o is refused', async (flags, named) => {
  const { code, err } = await parlance(['serve', acrobat, '-s', 'memory', '-l', '127.0.0.1:0', ...flags])
  expect(code).toBe(2)
  expect(err).toContain(named)
})
