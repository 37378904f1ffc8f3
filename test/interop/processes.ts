import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'
import { createInterface } from 'node:readline'
import type { Command } from './peers.ts'
import type { Player } from './play.ts'
import type { ServedPeer } from './serve-http.ts'
import type { StepLine } from './steps.ts'

/** Starts the server program of a peer and waits for the line that says where its card is. */
export async function startServer({ command, args, folder }: Command, parts: string): Promise<ServedPeer> {
  const [port, grpcPort] = await Promise.all([freePort(), freePort()])
  const child = spawn(command, [...args, '--port', `${port}`, '--grpc-port', `${grpcPort}`, '--parts', parts], {
    cwd: folder,
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  const errors = gather(child)
  const ready = await firstLine(child, 60_000)
  if (ready === undefined) {
    child.kill('SIGKILL')
    throw new Error(`the server did not start: ${errors()}`)
  }
  const { card } = JSON.parse(ready) as { card: string }
  return {
    card,
    close: async () => {
      // It ends with its standard input.
      child.stdin?.end()
      const timer = setTimeout(() => child.kill('SIGKILL'), 3_000)
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
      clearTimeout(timer)
    },
  }
}

/** The lines of JSON that a program prints. */
export async function gatherLines({ command, args, folder }: Command): Promise<readonly StepLine[]> {
  const child = spawn(command, args, { cwd: folder, stdio: ['ignore', 'pipe', 'ignore'] })
  const timer = setTimeout(() => child.kill('SIGKILL'), 60_000)
  const lines: StepLine[] = []
  for await (const line of createInterface({ input: child.stdout! })) {
    if (line.startsWith('{"step"')) lines.push(JSON.parse(line) as StepLine)
  }
  clearTimeout(timer)
  return lines
}

/** The client program of a peer as a player. */
export function playProgram({ command, args, folder }: Command, parts: string): Player {
  return async ({ card, binding, version }, report) => {
    const given = ['--card', card, '--binding', binding, '--version', version, '--parts', parts]
    const child = spawn(command, [...args, ...given], { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] })
    const errors = gather(child)
    const timer = setTimeout(() => child.kill('SIGKILL'), 120_000)
    const ended = once(child, 'close')
    for await (const line of createInterface({ input: child.stdout! })) {
      if (line.startsWith('{')) report(JSON.parse(line) as StepLine)
    }
    const [code] = await ended
    clearTimeout(timer)
    if (code !== 0) throw new Error(`the client ended with ${code}: ${errors()}`)
  }
}

function gather(child: ChildProcess): () => string {
  let text = ''
  child.stderr?.on('data', (chunk: Buffer) => {
    text = `${text}${chunk}`.slice(-2_000)
  })
  return () => text.trim().split('\n').slice(-4).join(' ')
}

async function firstLine(child: ChildProcess, wait: number): Promise<string | undefined> {
  const timer = setTimeout(() => child.kill('SIGKILL'), wait)
  const lines = createInterface({ input: child.stdout! })
  const line = await Promise.race([
    once(lines, 'line').then(([first]) => first as string),
    once(child, 'exit').then(() => undefined),
    once(child, 'error').then(() => undefined),
  ])
  clearTimeout(timer)
  return line?.startsWith('{') ? line : undefined
}

async function freePort(): Promise<number> {
  const server = createServer()
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}
