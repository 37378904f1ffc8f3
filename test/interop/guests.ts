import { execFile, spawn } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { isDeepStrictEqual, promisify } from 'node:util'
import { connect, createCardCache } from '../../src/index.ts'
import type { JsonObject, JsonValue } from '../../src/lib/json.ts'
import type { Outcome } from './matrix.ts'
import { stateWord } from './parts.ts'
import { gatherLines, startServer } from './processes.ts'
import type { ServedPeer } from './serve-http.ts'
import type { StepLine } from './steps.ts'

/** A program that has steps of its own, as it is no SDK or needs what is not here. */
export interface Guest {
  readonly name: string
  readonly title: string
  readonly version: string
  readonly cell: Omit<Outcome['cell'], 'peer'>
  /** What each step has to show. */
  readonly expected: Readonly<Record<string, JsonValue>>
  readonly play: (places: GuestPlaces) => Promise<readonly StepLine[]>
}

export interface GuestPlaces {
  /** Where the packages from npm are. */
  readonly npm: string
  /** Where grpcurl is. */
  readonly grpcurl: string
  readonly parlance: ServedPeer
}

const run = promisify(execFile)
const service = 'lf.a2a.v1.A2AService'
const target = ({ parlance }: GuestPlaces): string => new URL(parlance.card).host

/** Everything that is played with beside the SDKs. */
export const guests: readonly Guest[] = [
  {
    name: 'npm',
    title: 'grpc-js-reflection-client',
    version: '1.4.2',
    cell: { parlance: 'server', version: '1.0', binding: 'GRPC' },
    expected: { services: true, methods: 11, call: { state: 'TASK_STATE_COMPLETED', text: 'hällo 👋' } },
    play: async (places) => {
      const lines = await gatherLines({ command: 'node', args: ['reflection.mjs', target(places)], folder: places.npm })
      return lines.map((line) => ({ ...line, saw: { is: ofReflection(line) } }))
    },
  },
  {
    name: 'grpcurl',
    title: 'grpcurl',
    version: '1.9.3',
    cell: { parlance: 'server', version: '1.0', binding: 'GRPC' },
    expected: { list: true, describe: true, call: 'TASK_STATE_COMPLETED' },
    play: async (places) => grpcurlSteps(places),
  },
  {
    name: 'npm',
    title: 'a2a-ai-provider',
    version: '0.5.0-alpha.1',
    cell: { parlance: 'server', version: '0.3', binding: 'JSONRPC' },
    expected: { generate: 'hi', 'generate from a task': 'hällo 👋', stream: 'one two three' },
    play: async ({ npm, parlance }) => {
      const lines = await gatherLines({ command: 'node', args: ['ai-provider.mjs', parlance.card], folder: npm })
      return lines.map((line) => ({ ...line, saw: { is: line.saw?.text ?? null } }))
    },
  },
  {
    name: 'npm',
    title: '@voltagent/a2a-server',
    version: '2.0.3',
    cell: { parlance: 'client', version: '0.3', binding: 'JSONRPC' },
    expected: { card: 'interop', send: 'heard hello', stream: 'completed', 'unknown task': 'TaskNotFound' },
    play: async ({ npm }) => {
      const served = await startServer({ command: 'node', args: ['voltagent.mjs'], folder: npm }, '')
      return await callSteps(served, 'hello')
    },
  },
  {
    name: 'npm',
    title: '@google/gemini-cli-a2a-server',
    version: '0.25.2',
    cell: { parlance: 'client', version: '0.3', binding: 'JSONRPC' },
    // Without a model it says that the model could not be asked, and waits for another message.
    expected: { card: 'Gemini SDLC Agent', stream: 'input-required', 'unknown task': 'TaskNotFound' },
    play: async ({ npm }) => await callSteps(await serveGemini(npm), 'hello'),
  },
]

/** Plays a guest and judges what it did. */
export async function playGuest(guest: Guest, places: GuestPlaces): Promise<Outcome[]> {
  const cell = { ...guest.cell, peer: guest.title }
  const lines = await guest
    .play(places)
    .catch((error: Error): readonly StepLine[] => [{ step: 'end', error: { name: error.name, text: error.message } }])
  return Object.entries(guest.expected).map(([step, wanted]) => {
    const line = lines.find((known) => known.step === step) ?? lines.find((known) => known.step === 'end')
    if (line?.error === undefined && isDeepStrictEqual(line?.saw?.is, wanted)) return { cell, step, kind: 'passed' }
    return { cell, step, kind: 'failed', problem: JSON.stringify(line?.error ?? line?.saw ?? 'no answer') }
  })
}

function ofReflection({ step, saw }: StepLine): JsonValue {
  const { services, methods } = (saw ?? {}) as { services?: string[]; methods?: string[] }
  if (step === 'services')
    return [service, 'a2a.v1.A2AService', 'grpc.health.v1.Health'].every((name) => services?.includes(name))
  if (step === 'methods') return methods?.length ?? 0
  return saw ?? null
}

async function grpcurlSteps(places: GuestPlaces): Promise<readonly StepLine[]> {
  const at = target(places)
  const call = async (...args: readonly string[]): Promise<string> => {
    try {
      const { stdout } = await run(join(places.grpcurl, 'grpcurl'), ['-plaintext', ...args], { timeout: 20_000 })
      return stdout
    } catch (error) {
      return String(error)
    }
  }
  const request = { message: { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'echo hi' }] } }
  const answer = await call('-H', 'a2a-version: 1.0', '-d', JSON.stringify(request), at, `${service}/SendMessage`)
  const listed = await call(at, 'list')
  const described = await call(at, 'describe', `${service}.GetTask`)
  return [
    { step: 'list', saw: { is: listed.split('\n').includes(service) || listed } },
    { step: 'describe', saw: { is: described.includes('.lf.a2a.v1.GetTaskRequest') || described } },
    { step: 'call', saw: { is: /"state": "(\w+)"/.exec(answer)?.[1] ?? answer } },
  ]
}

/** What Parlance's client gets from an agent that says what it wants. */
async function callSteps(served: ServedPeer, text: string): Promise<readonly StepLine[]> {
  try {
    const agent = await connect(served.card, { cache: createCardCache() })
    const settings: JsonObject = { coderAgent: { kind: 'agent-settings', workspacePath: '.' } }
    const message = { role: 'ROLE_USER' as const, parts: [{ text }], metadata: settings }
    const result = await agent.send(message)
    let last = ''
    for await (const { task, statusUpdate } of agent.stream(message)) {
      last = stateWord(statusUpdate?.status.state ?? task?.status.state ?? last)
    }
    const unknown = await agent.get('no-such-task').then(
      () => 'a task',
      (error: { code?: string }) => error.code ?? 'an error',
    )
    return [
      { step: 'card', saw: { is: agent.card.name } },
      { step: 'send', saw: { is: result.text } },
      { step: 'stream', saw: { is: last } },
      { step: 'unknown task', saw: { is: unknown } },
    ]
  } finally {
    await served.close()
  }
}

async function serveGemini(npm: string): Promise<ServedPeer> {
  const home = join(npm, 'home')
  mkdirSync(home, { recursive: true })
  const port = 20_000 + (process.pid % 20_000)
  const bundle = join(npm, 'node_modules/@google/gemini-cli-a2a-server/dist/a2a-server.mjs')
  const child = spawn('node', [bundle], {
    cwd: home,
    env: { ...process.env, HOME: home, GEMINI_API_KEY: 'none', CODER_AGENT_PORT: `${port}` },
    stdio: 'ignore',
  })
  const card = `http://localhost:${port}`
  for (let attempt = 0; ; attempt++) {
    const answer = await fetch(`${card}/.well-known/agent-card.json`).catch(() => undefined)
    if (answer?.ok) break
    if (attempt > 150) throw new Error('the server did not start')
    await new Promise((resolve) => setTimeout(resolve, 200))
  }
  return { card, close: async () => void child.kill('SIGKILL') }
}

/** The folders that guests are installed in. */
export function guestPlaces(cache: string): Omit<GuestPlaces, 'parlance'> {
  return { npm: join(cache, 'npm'), grpcurl: join(cache, 'grpcurl') }
}

/** How what guests need is installed; `places` as for peers. */
export const guestInstalls: readonly {
  readonly name: string
  readonly toolchain: readonly string[]
  readonly install: readonly (readonly string[])[]
}[] = [
  {
    name: 'npm',
    toolchain: ['npm', '--version'],
    install: [
      ['cp', '-R', 'SOURCE/.', 'CACHE'],
      ['npm', 'ci', '--prefix', 'CACHE', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'],
    ],
  },
  {
    name: 'grpcurl',
    toolchain: ['go', 'version'],
    install: [['env', 'GOBIN=CACHE', 'go', 'install', 'github.com/fullstorydev/grpcurl/cmd/grpcurl@v1.9.3']],
  },
]
