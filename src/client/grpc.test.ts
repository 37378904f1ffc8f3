import { type AddressInfo, createServer, connect as dial, type Socket } from 'node:net'
import { afterEach, describe, expect, onTestFinished, test } from 'vitest'
import { closeIdleChannels } from '../bindings/grpc/channel.ts'
import { agent as define } from '../engine/executor.ts'
import type { AgentCard, AgentInterface } from '../protocol/generated/v1/types.ts'
import { serve } from '../server/serve.ts'
import { addressReader } from './addresses.ts'
import { createCardCache } from './card-cache.ts'
import { connect } from './connect.ts'

afterEach(closeIdleChannels)

const counter = define({
  name: 'Counter',
  description: 'counts',
  version: '1',
  async *run(task) {
    const [part] = task.message.parts
    for (let at = 1; at <= 8; at++) {
      await new Promise((resolve) => setTimeout(resolve, part?.text === 'slowly' ? 15 : 0))
      yield `${at} `
    }
  },
})

async function start(options: object = {}): Promise<{ url: string; card: AgentCard }> {
  const server = await serve(counter, { listen: '127.0.0.1:0', store: 'memory', ...options })
  onTestFinished(() => server.close({ graceMs: 0 }))
  const response = await fetch(server.cardUrl, { headers: { 'a2a-version': '1.0' } })
  return { url: server.url, card: (await response.json()) as AgentCard }
}

/** Passes bytes on to a port, and breaks the connections that there are. */
async function breakable(port: number): Promise<{ port: number; cut(): void }> {
  const sockets = new Set<Socket>()
  const server = createServer((near) => {
    const far = dial(port, '127.0.0.1')
    for (const socket of [near, far]) {
      sockets.add(socket)
      socket.on('error', () => {})
      socket.on('close', () => {
        sockets.delete(socket)
        near.destroy()
        far.destroy()
      })
    }
    near.pipe(far).pipe(near)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const cut = (): void => {
    for (const socket of sockets) socket.destroy()
  }
  onTestFinished(() => {
    cut()
    server.close()
  })
  return { port: (server.address() as AddressInfo).port, cut }
}

describe('an agent over gRPC', () => {
  test('the one binding that is asked for is used', async () => {
    const { url } = await start()
    const agent = await connect(url, { binding: 'GRPC', cache: createCardCache() })
    expect(agent.interface.protocolBinding).toBe('GRPC')
    const result = await agent.send('hi')
    expect(result).toMatchObject({ ok: true, text: '1 2 3 4 5 6 7 8 ', state: 'TASK_STATE_COMPLETED' })
    expect(await agent.get(result.task?.id ?? '')).toMatchObject({ id: result.task?.id })
    expect((await agent.list({})).totalSize).toBe(1)
    await expect(agent.get('nothing')).rejects.toMatchObject({ code: 'TaskNotFound', origin: 'remote' })
    expect(agent.warnings).toEqual([])
  })

  test('a stream that is cut goes on behind its last event, and no event comes twice', async () => {
    const { url, card } = await start()
    const wire = await breakable(Number(new URL(url).port))
    const supportedInterfaces = [{ url: `127.0.0.1:${wire.port}`, protocolBinding: 'GRPC', protocolVersion: '1.0' }]
    const agent = await connect({ ...card, supportedInterfaces }, { retry: { base: 1, cap: 20 } })
    let text = ''
    let chunks = 0
    for await (const { artifactUpdate } of agent.stream('slowly')) {
      if (artifactUpdate === undefined) continue
      text += artifactUpdate.artifact.parts.map((part) => part.text).join('')
      chunks += 1
      if (chunks === 2 || chunks === 5) wire.cut()
    }
    expect([text, chunks]).toEqual(['1 2 3 4 5 6 7 8 ', 8])
  })

  test('an interface that cannot be reached gives way to the next', async () => {
    const { card } = await start()
    const closed = createServer()
    await new Promise<void>((resolve) => closed.listen(0, '127.0.0.1', resolve))
    const { port } = closed.address() as AddressInfo
    await new Promise((resolve) => closed.close(resolve))
    const grpc = { url: `127.0.0.1:${port}`, protocolBinding: 'GRPC', protocolVersion: '1.0' }
    const agent = await connect({ ...card, supportedInterfaces: [grpc, ...card.supportedInterfaces] })
    expect((await agent.send('hi')).ok).toBe(true)
    expect(agent.interface.protocolBinding).toBe('JSONRPC')
    expect(agent.warnings[0]).toContain(`Cannot reach grpc://127.0.0.1:${port}`)
  })

  test('GRPC-16 the token goes along', async () => {
    const { url } = await start({ tokens: ['secret-token-of-the-test'] })
    const token = 'secret-token-of-the-test'
    const agent = await connect(url, { token, binding: 'GRPC' })
    expect((await agent.send('hi')).ok).toBe(true)
    const other = await connect(url, { binding: 'GRPC', cache: createCardCache() })
    await expect(other.send('hi')).rejects.toMatchObject({ code: 'Unauthenticated' })
  })
})

describe('where credentials are decided on', () => {
  const iface = (url: string, protocolBinding = 'GRPC'): AgentInterface => ({
    url,
    protocolBinding,
    protocolVersion: '1.0',
  })

  test('AMB-60 a gRPC address without a scheme is as secure as its card', async () => {
    const listed = [
      iface('agent.example:5000'),
      iface('ftp://x'),
      iface('agent.example:1', 'JSONRPC'),
      iface('nowhere', 'JSONRPC'),
    ]
    for (const secure of [true, false]) {
      const addressOf = await addressReader(listed, secure)
      expect(listed.map(addressOf)).toEqual([
        `http${secure ? 's' : ''}://agent.example:5000/`,
        undefined,
        'agent.example:1',
        undefined,
      ])
    }
  })
})
