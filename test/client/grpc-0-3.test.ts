import { afterEach, describe, expect, onTestFinished, test } from 'vitest'
import { closeIdleChannels } from '../../src/bindings/grpc/channel.ts'
import { connectGrpc } from '../../src/bindings/grpc/client.ts'
import { agent as define } from '../../src/engine/executor.ts'
import type { CallContext, Endpoint } from '../../src/protocol/endpoint.ts'
import type { Part, StreamResponse, Task } from '../../src/protocol/generated/v1/types.ts'
import { serve } from '../../src/server/serve.ts'
import { serveJs03 } from '../interop/js-0-3.ts'

afterEach(closeIdleChannels)

const context: CallContext = { version: '1.0', tenant: '', owner: '', extensions: [], headers: {} }

function saying(text: string, parts: readonly Part[] = []) {
  return { message: { messageId: crypto.randomUUID(), role: 'ROLE_USER', parts: [{ text }, ...parts] } } as const
}

interface Peer {
  readonly client: Endpoint
  readonly warnings: string[]
}

function clientOf(url: string): Peer {
  const warnings: string[] = []
  const iface = { url, protocolBinding: 'GRPC', protocolVersion: '0.3' }
  return { client: connectGrpc(iface, { warn: (text) => warnings.push(text) }), warnings }
}

/** Echoes, counts in chunks, or mirrors the parts, as the first word says. */
const scripted = define({
  name: 'Scripted',
  inputModes: ['*/*'],
  description: 'Follows a script',
  version: '1',
  async *run(task) {
    const [first, ...rest] = task.message.parts
    const [word, ...words] = (first?.text ?? '').split(' ')
    if (word === 'chunks') yield* ['one ', 'two ', 'three']
    else if (word === 'mirror') yield* rest
    else yield words.join(' ')
  },
})

const peers = {
  'the published JavaScript server': async (): Promise<Peer> => {
    const peer = await serveJs03()
    onTestFinished(() => peer.close())
    const card = (await (await fetch(`${peer.card}/.well-known/agent-card.json`)).json()) as {
      additionalInterfaces: { url: string; transport: string }[]
    }
    return clientOf(card.additionalInterfaces.find(({ transport }) => transport === 'GRPC')?.url ?? '')
  },
  'our own server': async (): Promise<Peer> => {
    const server = await serve(scripted, { listen: '127.0.0.1:0', store: 'memory' })
    onTestFinished(() => server.close({ graceMs: 0 }))
    return clientOf(new URL(server.url).host)
  },
}

for (const [name, start] of Object.entries(peers)) {
  describe(`GRPC-17 A2A 0.3 over gRPC: ${name}`, () => {
    const send = async ({ client }: Peer, text: string, parts?: readonly Part[]): Promise<Task> => {
      const { result } = await client.unary({ operation: 'SendMessage', request: saying(text, parts), context })
      return result.value.task as Task
    }
    const textOf = (task: Task | undefined): string =>
      (task?.artifacts ?? []).flatMap(({ parts }) => parts.map(({ text }) => text ?? '')).join('')

    test('send, get with and without history, and what is not there', async () => {
      const peer = await start()
      const task = await send(peer, 'echo hällo 👋')
      expect([task.status.state, textOf(task)]).toEqual(['TASK_STATE_COMPLETED', 'hällo 👋'])
      const get = async (historyLength?: number): Promise<Task> => {
        const request = { id: task.id, ...(historyLength !== undefined && { historyLength }) }
        return (await peer.client.unary({ operation: 'GetTask', request, context })).result.value
      }
      expect((await get()).history?.[0]?.parts).toEqual([{ text: 'echo hällo 👋' }])
      expect(peer.warnings).toEqual([])
      expect((await get(0)).history).toBeUndefined()
      expect(peer.warnings).toHaveLength(1)
      const missing = peer.client.unary({ operation: 'GetTask', request: { id: 'nothing' }, context })
      await expect(missing).rejects.toMatchObject({ code: 'TaskNotFound', origin: 'remote' })
      const over = peer.client.unary({ operation: 'CancelTask', request: { id: task.id }, context })
      await expect(over).rejects.toMatchObject({ code: 'TaskNotCancelable', origin: 'remote' })
    })

    test('a stream', async () => {
      const { client } = await start()
      const reply = await client.stream({ operation: 'SendStreamingMessage', request: saying('chunks'), context })
      const events: StreamResponse[] = []
      for await (const group of reply.events) events.push(...group.map(({ value }) => value))
      expect(events[0]?.task).toBeDefined()
      const chunks = events.flatMap(({ artifactUpdate }) => artifactUpdate?.artifact.parts ?? [])
      expect(chunks).toEqual([{ text: 'one ' }, { text: 'two ' }, { text: 'three' }])
      expect(events.at(-1)?.statusUpdate?.status.state).toBe('TASK_STATE_COMPLETED')
    })

    test('case 35: parts of every kind come back as they were', async () => {
      // That server itself makes 0 of null, and has no names of files in its gRPC form.
      const whole = name !== 'the published JavaScript server'
      const parts = [
        { data: { i: 1, z: 0, neg: -7, f: 0.1, arr: [1, 2.5, true, ...(whole ? [null] : [])], text: '1.0' } },
        { raw: 'AAEC/w==', mediaType: 'application/octet-stream', ...(whole && { filename: 'ä.bin' }) },
        { url: 'https://files.example/x.png', mediaType: 'image/png', ...(whole && { filename: 'x.png' }) },
      ]
      const task = await send(await start(), 'mirror', parts)
      expect(task.artifacts?.flatMap((artifact) => artifact.parts)).toEqual(parts)
    })
  })
}
