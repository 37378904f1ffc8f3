import { writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { delay } from '../harness.ts'
import { acrobat, endAll, parlance, type Serving, type Started, serving, start, temporaryFolder } from './kit.ts'

afterAll(endAll)

interface WorkerLine {
  readonly pid: number
  readonly worker: number
}

/** The workers that live, by their number, as their log tells. */
function workersOf({ err }: Started): Map<number, number> {
  const lines = err()
    .split('\n')
    .flatMap((line) => (line.startsWith('{') ? [JSON.parse(line) as Partial<WorkerLine>] : []))
  return new Map(
    lines.flatMap(({ worker, pid = 0 }) => (worker !== undefined && isThere(pid) ? [[worker, pid] as const] : [])),
  )
}

async function until(check: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await check())) await delay(20)
}

async function startWorkers(count: number, args: readonly string[] = []): Promise<Serving> {
  const store = join(temporaryFolder(), 'tasks.db')
  const server = await serving([acrobat, '-s', store, '--workers', String(count), ...args])
  await until(() => workersOf(server).size === count)
  return server
}

/** A call of its own connection, which may come to any worker. */
async function call(url: string, method: string, params: object): Promise<{ readonly result?: unknown }> {
  const answer = await fetch(`${url}/invoke`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'a2a-version': '1.0', connection: 'close' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  })
  return (await answer.json()) as { result?: unknown }
}

async function send(url: string, text: string, more: object = {}): Promise<{ id: string; status: { state: string } }> {
  const message = { messageId: crypto.randomUUID(), role: 'ROLE_USER', parts: [{ text }] }
  const { result } = await call(url, 'SendMessage', { message, ...more })
  return (result as { task: { id: string; status: { state: string } } }).task
}

const atOnce = { configuration: { returnImmediately: true } }

describe.concurrent('parlance serve --workers', { timeout: 40_000 }, () => {
  test('serves one agent by several processes, any of which knows every task', async () => {
    const server = await startWorkers(3)
    expect(server.announced.pid).toBe(server.child.pid)
    const sent = await Promise.all(Array.from({ length: 12 }, (_, at) => send(server.url, `text ${at}`)))
    for (const { id } of sent) {
      expect(await call(server.url, 'GetTask', { id })).toHaveProperty('result.status.state', 'TASK_STATE_COMPLETED')
    }
    expect(await call(server.url, 'ListTasks', {})).toHaveProperty('result.totalSize', 12)
    const lines = server.err().trim().split('\n')
    const logged = new Set(lines.map((line) => (JSON.parse(line) as WorkerLine).worker))
    expect([...logged].sort()).toEqual([1, 2, 3])
    server.child.kill('SIGTERM')
    const { code, out } = await server.ended
    expect([code, out.trim().split('\n').length]).toEqual([0, 1])
  })

  test('lets followers and cancels come to other workers than the run', async () => {
    const server = await startWorkers(2)
    const { id } = await send(server.url, 'count 100000 20', atOnce)
    const followers = Array.from({ length: 4 }, () => start(['subscribe', server.url, id]))
    for (const follower of followers) await follower.until('5\n')
    expect(await call(server.url, 'CancelTask', { id })).toHaveProperty('result.status.state', 'TASK_STATE_CANCELED')
    for (const follower of followers) {
      const { out } = await follower.ended
      const numbers = out.trim().split('\n').map(Number)
      expect(numbers).toEqual(numbers.map((_, at) => at + 1))
    }
    server.child.kill('SIGTERM')
    expect(await server.ended).toMatchObject({ code: 0 })
  })

  test('starts another when one dies, which disturbs nobody else', async () => {
    const server = await startWorkers(2)
    const before = workersOf(server)
    const following = start(['send', server.url, 'count', '40', '50', '--stream'])
    await following.until('3\n')
    // The task fails with its worker, or goes on where the other one has it.
    process.kill(before.get(2) as number, 'SIGKILL')
    const { out } = await following.ended
    expect(out.startsWith('1\n2\n3\n')).toBe(true)
    await until(() => {
      const now = workersOf(server)
      return now.size === 2 && now.get(2) !== before.get(2)
    })
    expect(workersOf(server).get(1)).toBe(before.get(1))
    expect(server.err()).toContain('worker 2 ended by SIGKILL; another takes its place')
    const states = await Promise.all(Array.from({ length: 10 }, () => send(server.url, 'still there')))
    expect(states.every(({ status }) => status.state === 'TASK_STATE_COMPLETED')).toBe(true)
    server.child.kill('SIGTERM')
    expect(await server.ended).toMatchObject({ code: 0 })
  })

  test('lets the runs of all workers finish after a signal, which a terminal may send to all of them', async () => {
    const server = await startWorkers(2, ['--grace', '20s'])
    const counts = Array.from({ length: 4 }, () => start(['send', server.url, 'count', '5', '150', '--stream']))
    for (const count of counts) await count.until('2\n')
    const pids = [...workersOf(server).values()]
    server.child.kill('SIGINT')
    for (const pid of pids) process.kill(pid, 'SIGINT')
    for (const count of counts) expect(await count.ended).toMatchObject({ code: 0, out: '1\n2\n3\n4\n5\n' })
    expect(await server.ended).toMatchObject({ code: 0 })
  })

  test('all say at /readyz that they end, and end at once at the second signal, with no process left behind', async () => {
    const server = await startWorkers(2, ['--grace', '1h', '--drain-delay', '1h'])
    await send(server.url, 'count 100000 50', atOnce)
    const pids = [...workersOf(server).values()]
    server.child.kill('SIGTERM')
    const ready = async (): Promise<number> =>
      (await fetch(`${server.url}/readyz`, { headers: { connection: 'close' } })).status
    await until(async () => (await ready()) === 503 && (await ready()) === 503)
    expect((await send(server.url, 'still taken')).status.state).toBe('TASK_STATE_COMPLETED')
    server.child.kill('SIGTERM')
    expect(await server.ended).toMatchObject({ code: 143 })
    await until(() => pids.every((pid) => !isThere(pid)))
  })

  test('carries gRPC on a second address by all workers', async () => {
    const server = await startWorkers(2, ['--grpc-listen', '127.0.0.1:0'])
    const [host = '', port = ''] = String(server.announced.grpc).split(':')
    const sockets = await Promise.all(
      Array.from(
        { length: 4 },
        () =>
          new Promise((resolve, reject) => {
            const socket = connect(Number(port), host, () => resolve(socket.destroy()))
            socket.on('error', reject)
          }),
      ),
    )
    expect(sockets).toHaveLength(4)
    server.child.kill('SIGTERM')
    expect(await server.ended).toMatchObject({ code: 0 })
  })

  test('gives up when workers die as they start, and says so', async () => {
    const folder = temporaryFolder()
    const agent = join(folder, 'dies.mjs')
    writeFileSync(agent, 'process.exit(7)\n')
    const { code, err } = await parlance(['serve', agent, '-s', join(folder, 'tasks.db'), '--workers', '2'])
    expect(code).toBe(7)
    expect(err).toContain('worker 1 ended with the exit code 7, like 4 before it as they started; this gives up')
  })

  test('says once what keeps all from starting', async () => {
    const folder = temporaryFolder()
    const { code, err } = await parlance([
      'serve',
      join(folder, 'none.yaml'),
      '-s',
      join(folder, 't.db'),
      '--workers',
      '3',
    ])
    expect([code, err.match(/error:/g)?.length]).toEqual([2, 1])
    const refused = await parlance(['serve', acrobat, '-s', 'memory', '--workers', '2'])
    expect(refused).toMatchObject({ code: 2, err: expect.stringContaining('error: --workers: ') })
  })
})

function isThere(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}
