import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { createServer, connect as dial, type Socket, type Server as TcpServer } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import {
  type Agent,
  type AgentCard,
  type ConnectOptions,
  connect,
  createCardCache,
  type StreamResponse,
} from '../../src/index.ts'
import {
  type AgentOptions,
  agent,
  inputRequired,
  type ServeOptions,
  type Server,
  serve,
} from '../../src/server/index.ts'

async function serveAgent(run: AgentOptions['run'], options: ServeOptions = {}): Promise<Server> {
  const made = agent({ name: 'Test', description: 'For tests', version: '1.0.0', run })
  const server = await serve(made, { listen: 0, store: 'memory', ...options })
  onTestFinished(() => server.close({ graceMs: 0 }))
  return server
}

function connectTo(target: string | AgentCard, options: ConnectOptions = {}): Promise<Agent> {
  return connect(target, { cache: createCardCache(), retry: { base: 2, cap: 50 }, ...options })
}

/** The card with this binding first. */
function preferring(card: AgentCard, binding: string, url?: string): AgentCard {
  const supportedInterfaces = card.supportedInterfaces
    .filter(({ protocolBinding }) => protocolBinding === binding)
    .map((iface) => (url === undefined ? iface : { ...iface, url: url + new URL(iface.url).pathname }))
  return { ...card, supportedInterfaces }
}

/** A TCP proxy that cuts a connection after so many bytes of answer, the next one after twice as many, and so on; with 0 it cuts nothing. */
async function startCutter(port: number): Promise<{ url: string; cutAfter(bytes: number): void; cuts(): number }> {
  let limit = 0
  let cuts = 0
  const sockets = new Set<Socket>()
  const proxy: TcpServer = createServer((near) => {
    const far = dial(port, '127.0.0.1')
    let seen = 0
    for (const socket of [near, far]) {
      sockets.add(socket)
      socket.on('error', () => {})
      socket.on('close', () => {
        sockets.delete(socket)
        near.destroy()
        far.destroy()
      })
    }
    near.pipe(far)
    far.on('data', (chunk: Buffer) => {
      const left = limit === 0 ? chunk.length : Math.max(0, limit - seen)
      seen += chunk.length
      near.write(chunk.subarray(0, left), () => {
        if (limit === 0 || seen < limit) return
        cuts += 1
        limit *= 2
        near.destroy()
      })
    })
  })
  proxy.listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    return new Promise<void>((resolve) => proxy.close(() => resolve()))
  })
  const url = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`
  function cutAfter(bytes: number): void {
    limit = bytes
  }
  return { url, cuts: () => cuts, cutAfter }
}

const words = Array.from({ length: 60 }, (_, at) => `word-${at}-é `)

async function* tell(): AsyncGenerator<string> {
  for (const word of words) {
    yield word
    await new Promise((resolve) => setTimeout(resolve, 1))
  }
}

for (const binding of ['JSONRPC', 'HTTP+JSON']) {
  describe(`parlance/server over ${binding}`, () => {
    async function start(run: AgentOptions['run'], options: ServeOptions = {}): Promise<Agent> {
      const server = await serveAgent(run, options)
      const { card } = await connectTo(server.url)
      return connectTo(preferring(card, binding))
    }

    test('send, get, list, cancel, without a single warning', async () => {
      const remote = await start(async function* ({ message, signal }) {
        const text = message.parts[0]?.text
        if (text !== 'wait') return yield* [`you said ${text}`]
        yield 'waiting'
        await new Promise((resolve) => signal.addEventListener('abort', resolve))
      })
      const result = await remote.send('hi')
      expect(result).toMatchObject({ ok: true, text: 'you said hi' })
      expect(await remote.get(result.task?.id ?? '', { historyLength: 0 })).not.toHaveProperty('history')
      const stream = remote.stream('wait')
      let id = ''
      for await (const { task } of stream) {
        if (task === undefined) continue
        id = task.id
        expect((await remote.cancel(id)).status.state).toBe('TASK_STATE_CANCELED')
      }
      expect(await stream.result()).toMatchObject({ ok: false, state: 'TASK_STATE_CANCELED' })
      const ids: string[] = []
      for await (const task of remote.listAll({ pageSize: 1 })) ids.push(task.id)
      expect(ids).toEqual([id, result.task?.id])
      expect(remote.interface.protocolBinding).toBe(binding)
      expect(remote.warnings).toEqual([])
    })

    test('a question, its answer, and the next task of the conversation', async () => {
      const remote = await start(async function* ({ message, history }) {
        if (history.length === 0 && message.parts[0]?.text === 'weather') yield inputRequired('where?')
        else yield `sunny in ${message.parts[0]?.text}`
      })
      const conversation = remote.conversation()
      const question = await conversation.send('weather')
      expect(question).toMatchObject({ state: 'TASK_STATE_INPUT_REQUIRED', text: 'where?' })
      const answer = await conversation.send('Berlin')
      expect(answer).toMatchObject({ ok: true, text: 'sunny in Berlin', contextId: question.contextId })
      expect(answer.task?.id).toBe(question.task?.id)
      const next = await conversation.send('Rome')
      expect(next).toMatchObject({ ok: true, contextId: question.contextId })
      expect(next.task?.id).not.toBe(question.task?.id)
    })

    test('connections cut at any place: each event once and in order', async () => {
      const server = await serveAgent(tell)
      const cutter = await startCutter(Number(new URL(server.url).port))
      const { card } = await connectTo(server.url)
      const remote = await connectTo(preferring(card, binding, cutter.url))
      for (let bytes = 900; bytes < 6000; bytes += 463) {
        cutter.cutAfter(bytes)
        const events: StreamResponse[] = []
        for await (const event of remote.stream('go')) events.push(event)
        const pieces = events
          .map(({ artifactUpdate }) => artifactUpdate?.artifact.parts[0]?.text)
          .filter((text) => text !== undefined)
        expect(pieces).toEqual(words)
        expect(events.filter(({ task }) => task !== undefined)).toHaveLength(1)
        expect(events.at(-1)?.statusUpdate?.status.state).toBe('TASK_STATE_COMPLETED')
      }
      expect(cutter.cuts()).toBeGreaterThan(10)
      expect(remote.warnings).toEqual([])
    })

    test('a send whose answer is lost is repeated, and runs once', async () => {
      let runs = 0
      const server = await serveAgent(async function* () {
        runs += 1
        yield 'done'
      })
      const cutter = await startCutter(Number(new URL(server.url).port))
      const { card } = await connectTo(server.url)
      const remote = await connectTo(preferring(card, binding, cutter.url), {
        middleware: [],
        retry: { calls: 5, base: 20, cap: 50 },
      })
      cutter.cutAfter(20)
      setTimeout(() => cutter.cutAfter(0), 60)
      expect(await remote.send('go')).toMatchObject({ ok: true, text: 'done' })
      expect(cutter.cuts()).toBeGreaterThan(0)
      expect(runs).toBe(1)
    })

    test('polling an agent without streaming', async () => {
      const made = agent({
        name: 'Plain',
        description: 'No streams',
        version: '1.0.0',
        streaming: false,
        async *run() {
          await new Promise((resolve) => setTimeout(resolve, 60))
          yield 'slowly'
        },
      })
      const server = await serve(made, { listen: 0, store: 'memory' })
      onTestFinished(() => server.close({ graceMs: 0 }))
      const { card } = await connectTo(server.url)
      const remote = await connectTo(preferring(card, binding), { polling: { base: 5, cap: 10 } })
      expect(await remote.send('go')).toMatchObject({ ok: true, text: 'slowly' })
    })
  })
}

describe('parlance/server', () => {
  test('a task that ended while the client was away', async () => {
    const server = await serveAgent(tell)
    const remote = await connectTo(server.url)
    const stream = remote.stream('go')
    const events: StreamResponse[] = []
    for await (const event of stream) {
      events.push(event)
      if (events.length === 5) break
    }
    const { task } = await stream.result()
    await remote.subscribe(task?.id ?? '').result()
    expect(await remote.subscribe(task?.id ?? '').result()).toMatchObject({ ok: true, text: words.join('') })
  })

  test('tokens: refused with a challenge, accepted with the token', async () => {
    const server = await serveAgent(
      async function* () {
        yield 'in'
      },
      { tokens: ['open-sesame'] },
    )
    const stranger = await connectTo(server.url)
    await expect(stranger.send('hi')).rejects.toMatchObject({
      code: 'Unauthenticated',
      message: expect.stringMatching(/challenge: Bearer/),
    })
    const friend = await connectTo(server.url, { token: 'open-sesame' })
    expect((await friend.send('hi')).text).toBe('in')
  })
})
