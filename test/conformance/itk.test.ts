import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import protobuf from 'protobufjs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { actsTable } from '../../examples/conformance/acts.ts'
import { agent } from '../../examples/conformance/agent.ts'
import { decodeInstruction, encodeInstruction, instructionPart } from '../../examples/conformance/instruction.ts'
import { wires } from '../../src/protocol/versions/wire.ts'
import { until } from '../harness.ts'
import { type Behaviour, eulerCircuit, planWalk, startWalkers, transports, type Walkers } from './itk-walk.ts'
import { isOver, type SeenTask, stateOf, taskIn, textOf } from './scene.ts'
import { openWebhook } from './webhook.ts'
import { jsonRpcPeer } from './wire/json-rpc.ts'
import { allBindings, type Json, type Peer } from './wire/peer.ts'

const root = new URL('../../', import.meta.url)
const versions = wires.map(({ version }) => version)

/** The first agent of a walk, called as the kit calls it. */
function runner({ all }: Walkers): Peer {
  const [first] = all
  return jsonRpcPeer({ url: `${first?.server.url}/jsonrpc/`, headers: { 'a2a-version': '1.0' } })
}

function ask(instruction: Parameters<typeof instructionPart>[0]): Json {
  return { message: { messageId: crypto.randomUUID(), role: 'ROLE_USER', parts: [instructionPart(instruction)] } }
}

/** What the kit reads of an answer: the status message, and what the agent said before. */
function traceOf({ status, history = [] }: SeenTask): string {
  return [...history.filter(({ role }) => role === 'ROLE_AGENT'), status.message].map(textOf).join('\n')
}

describe('instructions', () => {
  const instruction = {
    steps: {
      responseGenerator: 1,
      instructions: [
        { returnResponse: { response: 'grüße', holdTask: true } },
        {
          callAgent: {
            transport: 'jsonrpc',
            agentCardUri: 'http://127.0.0.1:1',
            instruction: { returnResponse: { response: 'inner' } },
            streaming: true,
            pushNotification: { url: '127.0.0.1:2' },
          },
        },
        { callAgent: { transport: 'grpc', resubscribe: {} } },
        { callAgent: { sendMessage: {} } },
      ],
    },
  }

  it('are the bytes that the schema says', () => {
    const parsed = protobuf.parse(readFileSync(new URL('itk/instruction.proto', root), 'utf8'))
    const type = parsed.root.lookupType('itk.Instruction')
    const bytes = encodeInstruction(instruction)
    expect(type.toObject(type.decode(bytes), { enums: Number })).toEqual(instruction)
    expect(decodeInstruction(type.encode(type.fromObject(instruction)).finish())).toEqual(instruction)
    expect(decodeInstruction(bytes)).toEqual(instruction)
  })
})

it('the kit starts the agent by a command: two ports, cards in three places, every interface', async () => {
  const script = fileURLToPath(new URL('scripts/itk-agent.mjs', root))
  const child = spawn(process.execPath, [script, '--httpPort=0', '--grpcPort', '0'], {
    cwd: fileURLToPath(new URL('itk/', root)),
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = once(child, 'exit')
  try {
    const cardUrl = String((await once(child.stdout.setEncoding('utf8'), 'data'))[0]).trim()
    for (const place of ['/', '/jsonrpc/', '/rest/']) {
      const card = (await (await fetch(new URL(`${place}.well-known/agent-card.json`, cardUrl))).json()) as Json
      const listed = card.supportedInterfaces as readonly Json[]
      expect(listed).toHaveLength(3 * versions.length)
      expect(card).toHaveProperty('preferredTransport')
      for (const { url, protocolBinding } of listed) {
        expect(url).toMatch(
          { JSONRPC: /\/jsonrpc$/, 'HTTP+JSON': /\/rest$/, GRPC: /^127\.0\.0\.1:\d+$/ }[String(protocolBinding)] ??
            /^$/,
        )
      }
    }
  } finally {
    child.kill('SIGTERM')
  }
  expect((await ended)[0]).toBe(0)
}, 60_000)

it('every behaviour of ACTS is declared, and no other', () => {
  const { behaviors } = parse(readFileSync(new URL('itk/acts/sut-behaviors.yaml', root), 'utf8')) as {
    behaviors: readonly { readonly prefix: string }[]
  }
  expect(behaviors.map(({ prefix }) => prefix).sort()).toEqual([...Object.keys(actsTable), 'tck-client-parse'].sort())
})

it('a circuit goes over every edge once', () => {
  for (const nodes of [1, 2, 3, 4, 5]) {
    const edges = eulerCircuit(nodes)
    expect(edges).toHaveLength(nodes * (nodes - 1))
    expect(new Set(edges.map(String)).size).toBe(edges.length)
    for (const [at, [from]] of edges.entries()) expect(from).toBe(at === 0 ? 0 : edges[at - 1]?.[1])
  }
})

describe.each([
  { name: '1.0 alone', spoken: ['1.0', '1.0'] },
  ...versions
    .filter((version) => version !== '1.0')
    .map((version) => ({ name: `1.0 and ${version}`, spoken: ['1.0', version, '1.0', version] })),
])('agents of $name', ({ spoken }) => {
  let walkers: Walkers

  beforeAll(async () => {
    walkers = await startWalkers(spoken)
  })
  afterAll(() => walkers.close())

  describe.each(allBindings.map((binding) => [transports[binding], binding] as const))('over %s', (_, binding) => {
    it.each<Behaviour>(['send', 'stream'])('walk over every edge by %s', async (behaviour) => {
      const { instruction, tokens } = planWalk(walkers.all, { binding, behaviour })
      const { value, error } = await runner(walkers).call('SendMessage', ask(instruction))
      expect(error).toBeUndefined()
      const task = value?.task as SeenTask
      expect([task.status.state, textOf(task.status.message)]).toEqual(['TASK_STATE_COMPLETED', expect.any(String)])
      for (const token of tokens) expect(traceOf(task)).toContain(token)
    })

    it('walk over every edge and tell of it in a stream', async () => {
      const { instruction, tokens } = planWalk(walkers.all, { binding, behaviour: 'stream' })
      const frames = await runner(walkers).open('SendStreamingMessage', ask(instruction))
      const updates = (await frames.rest()).flatMap(({ statusUpdate }) =>
        statusUpdate ? [statusUpdate as SeenTask] : [],
      )
      const said = updates.map(({ status }) => textOf(status.message)).join('\n')
      for (const token of tokens) expect(said).toContain(token)
    })

    it('leave a stream, subscribe to the task and cancel it', async () => {
      const { instruction, tokens } = planWalk(walkers.all.slice(0, 2), { binding, behaviour: 'resubscribe' })
      const { value } = await runner(walkers).call('SendMessage', ask(instruction))
      const task = value?.task as SeenTask
      expect(task.status.state).toBe('TASK_STATE_COMPLETED')
      for (const token of tokens) expect(traceOf(task)).toContain(token)
      const peer = jsonRpcPeer({ url: `${walkers.all[1]?.server.url}/jsonrpc`, headers: { 'a2a-version': '1.0' } })
      const { tasks } = (await peer.call('ListTasks', { status: 'TASK_STATE_CANCELED' })).value as { tasks: unknown[] }
      expect(tasks).not.toHaveLength(0)
    })
  })

  it('a held task is canceled at once, and tells its text before', async () => {
    const peer = runner(walkers)
    const frames = await peer.open(
      'SendStreamingMessage',
      ask({ returnResponse: { response: 'kept', holdTask: true } }),
    )
    let event = await frames.next()
    const { id } = taskIn(event)
    const said: string[] = []
    while (event !== undefined && !said.join().includes('task-finished')) {
      event = await frames.next()
      said.push(textOf((event?.statusUpdate as SeenTask | undefined)?.status.message))
    }
    expect(said.join()).toContain('kept\ntask-finished')
    const { value } = await peer.call('CancelTask', { id })
    expect((value as SeenTask).status.state).toBe('TASK_STATE_CANCELED')
    expect(stateOf((await frames.rest()).at(-1))).toBe('TASK_STATE_CANCELED')
  })

  it('a message that names no step, or an agent that is not there, fails with the reason', async () => {
    const peer = runner(walkers)
    const nowhere = { transport: 'jsonrpc', agentCardUri: 'http://127.0.0.1:9', instruction: {} }
    for (const instruction of [{}, { callAgent: nowhere }, { callAgent: { ...nowhere, transport: 'pigeon' } }]) {
      const task = (await peer.call('SendMessage', ask(instruction))).value?.task as SeenTask
      expect(task.status.state).toBe('TASK_STATE_FAILED')
      expect(textOf(task.status.message)).toContain('could not be carried out')
    }
  })

  it('the walk of push notifications is refused as long as the card offers none, and told to the webhook then', async () => {
    const webhook = await openWebhook()
    try {
      const { instruction, tokens } = planWalk(walkers.all, {
        binding: 'JSONRPC',
        behaviour: 'push',
        hook: webhook.url,
      })
      const task = (await runner(walkers).call('SendMessage', ask(instruction))).value?.task as SeenTask
      expect(isOver(task.status.state)).toBe(true)
      if (agent.capabilities.pushNotifications === true) {
        const told = (): string => JSON.stringify(webhook.deliveries.map(({ body }) => body))
        await until(() => tokens.slice(0, -1).every((token) => told().includes(token)))
      } else {
        expect(task.status.state).toBe('TASK_STATE_FAILED')
        expect(textOf(task.status.message)).toContain('push notifications')
        expect(webhook.deliveries).toEqual([])
      }
    } finally {
      await webhook.close()
    }
  })
})
