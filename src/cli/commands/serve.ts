import { readFile } from 'node:fs/promises'
import { A2AError } from '../../protocol/errors.ts'
import { type Profile, type ProfileName, resolveProfile } from '../../protocol/profiles.ts'
import { isLoopback, type ListenAddress, parseListen } from '../../server/address.ts'
import type { ServeOptions, Server } from '../../server/serve.ts'
import { parseCount, parseDuration, parseList } from '../arguments.ts'
import { usageError } from '../command-error.ts'
import type { CommonFlags } from '../connection.ts'
import { exitCodes } from '../exit-codes.ts'
import { type EndSignal, listenForInterrupt } from '../interrupt.ts'
import { type LimitFlags, readLimits, readRate } from '../limit-flags.ts'
import type { Output } from '../output.ts'
import { loadServedAgent, type ServedAgent, type ServedFlags } from '../serve-agent.ts'
import { createServeLog } from '../serve-log.ts'
import { commandLine } from '../shell.ts'
import { type NamedStore, readStore, storeLabel } from '../store-choice.ts'
import { cleanLine } from '../terminal-text.ts'
import { logOptions, startTracing, type WatchFlags, watchOptions } from '../watch-flags.ts'
import {
  announces,
  createWorkerDoor,
  createWorkerHints,
  listenForStop,
  supervisor,
  tellReady,
  workerNumber,
} from '../worker.ts'
import { createWorkerMetrics } from '../worker-metrics.ts'
import { superviseWorkers } from '../workers.ts'

/** The flags of `parlance serve`. */
export interface ServeFlags extends CommonFlags, ServedFlags, LimitFlags, WatchFlags {
  readonly listen: string
  readonly store?: string
  readonly sessionDb?: string
  readonly authToken?: string
  readonly insecureNoAuth?: boolean
  readonly protectCard?: boolean
  readonly corsOrigin?: string
  readonly publicUrl?: string
  readonly tlsCert?: string
  readonly tlsKey?: string
  readonly grpcListen?: string
  readonly profile?: ProfileName
  readonly cardShape?: Profile['cardShape']
  readonly jsonrpcPath?: readonly string[]
  readonly restPath?: string
  readonly cardPath?: readonly string[]
  readonly trustProxy?: boolean
  readonly tenant?: readonly string[]
  readonly grace: string
  readonly drainDelay: string
  readonly workers: string
}

/** `parlance serve`: serves an agent until a signal comes, then lets its runs finish. */
export async function serve(path: string, flags: ServeFlags, output: Output): Promise<number> {
  output.goOnWhenClosed()
  const token = flags.authToken ?? (process.env.PARLANCE_AUTH_TOKEN || undefined)
  const address = parsed(() => parseListen(flags.listen))
  if (token === undefined && flags.insecureNoAuth !== true) {
    checkExposed(address, `--listen ${flags.listen}`)
    const { grpcListen } = flags
    if (grpcListen !== undefined)
      checkExposed(
        parsed(() => parseListen(grpcListen)),
        `--grpc-listen ${grpcListen}`,
      )
  }
  const graceMs = parseDuration(flags.grace, '--grace')
  const delayMs = parseDuration(flags.drainDelay, '--drain-delay')
  const tls = await tlsOf(flags)
  if (flags.store !== undefined && flags.sessionDb !== undefined)
    throw usageError('--session-db is another name of --store; give one of them')
  const store = await readStore(flags.store ?? flags.sessionDb)
  const workers = parseCount(flags.workers, '--workers', 1)
  if (workers > 1 && store === 'memory') {
    const hint = 'give --store a SQLite file or the URL of a PostgreSQL database'
    throw usageError('--workers: processes cannot share tasks that one of them has in memory', hint)
  }
  const limits = readLimits(flags)
  const rate = flags.rate === undefined ? undefined : readRate(flags.rate)
  const worker = workerNumber()
  if (workers > 1 && worker === undefined)
    return await superviseWorkers({ count: workers, graceMs: delayMs + graceMs, output })
  const log = await createServeLog(output, { ...logOptions(flags, output.json), worker })
  const served = await starting(() => loadServedAgent(path, flags, log))
  for (const { text } of announces() ? served.warnings : []) if (!output.json) output.warn(text)
  const tracing = await startTracing(flags, { agent: served.agent, log })
  const { serve: start } = await import('../../server/serve.ts')
  const server = await starting(() =>
    start(served.agent, {
      ...serveOptions(flags, token),
      ...tls,
      listen: flags.listen,
      store,
      log,
      limits,
      ...(rate && { rate }),
      ...(worker !== undefined && {
        door: createWorkerDoor(),
        hints: createWorkerHints(),
        peers: createWorkerMetrics(workers - 1),
      }),
      ...watchOptions(flags),
      ...(tracing && { tracer: tracing.tracer, spanCounts: tracing.spanCounts }),
    }),
  )
  if (worker !== undefined) {
    tellReady()
    log.info('The worker takes calls')
  }
  const stopped = waitForSignal(server, { delayMs, graceMs, output })
  served.warm?.().catch((error: unknown) => log.warn('a model is not ready', { cause: error }))
  if (announces()) await announce({ served, server, store, token, flags }, output)
  await stopped
  await tracing?.close()
  return exitCodes.ok
}

function checkExposed(address: ListenAddress, flag: string): void {
  if (address.kind !== 'tcp' || isLoopback(address.host)) return
  throw usageError(
    `${flag}: everybody who reaches this address could use the agent`,
    'set --auth-token or PARLANCE_AUTH_TOKEN, or say --insecure-no-auth if that is meant',
  )
}

function serveOptions(flags: ServeFlags, token: string | undefined): ServeOptions {
  const { corsOrigin, publicUrl, tenant, protectCard, trustProxy } = flags
  if (protectCard === true && token === undefined)
    throw usageError('--protect-card needs a token', 'set --auth-token or PARLANCE_AUTH_TOKEN')
  return {
    ...(token !== undefined && { tokens: [token] }),
    ...(corsOrigin !== undefined && { cors: { origins: parseList(corsOrigin) } }),
    ...(publicUrl !== undefined && { publicUrl }),
    ...(tenant !== undefined && { tenants: tenant }),
    ...(protectCard === true && { protectCard }),
    ...(trustProxy === true && { trustProxy }),
    ...(flags.grpcListen !== undefined && { grpcListen: flags.grpcListen }),
    profile: { ...resolveProfile(flags.profile), ...(flags.cardShape && { cardShape: flags.cardShape }) },
    paths: {
      ...(flags.jsonrpcPath && { jsonRpc: flags.jsonrpcPath }),
      ...(flags.restPath !== undefined && { rest: flags.restPath }),
      ...(flags.cardPath && { cards: flags.cardPath }),
    },
  }
}

/** Key and certificate of the files that the flags name. */
async function tlsOf({ tlsCert, tlsKey }: ServeFlags): Promise<Pick<ServeOptions, 'tls'>> {
  if (tlsCert === undefined && tlsKey === undefined) return {}
  if (tlsCert === undefined || tlsKey === undefined)
    throw usageError('TLS needs a certificate and its key', 'give both --tls-cert and --tls-key')
  const tls = { cert: await readPem(tlsCert, '--tls-cert'), key: await readPem(tlsKey, '--tls-key') }
  const { createSecureContext } = await import('node:tls')
  try {
    createSecureContext(tls)
  } catch (error) {
    const hint = 'give the certificate to --tls-cert, and the key that it was made with to --tls-key'
    throw usageError(`--tls-cert and --tls-key do not belong together: ${(error as Error).message}`, hint)
  }
  return { tls }
}

async function readPem(path: string, flag: string): Promise<string> {
  let text: string
  try {
    text = await readFile(path, 'utf8')
  } catch (error) {
    throw usageError(`${flag} ${path}: cannot be read (${(error as NodeJS.ErrnoException).code})`)
  }
  if (text.includes('-----BEGIN ')) return text
  throw usageError(`${flag} ${path}: is not in PEM form`, 'give a file that begins with -----BEGIN')
}

/** Whatever keeps a server from starting lies in what it was given. */
async function starting<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if ((error as Error)?.name === 'CommandError' || (A2AError.is(error) && error.code === 'Internal')) throw error
    const { message, name } = error as Error
    const made = usageError(message || name)
    made.stack = (error as Error).stack ?? ''
    throw made
  }
}

function parsed<T>(read: () => T): T {
  try {
    return read()
  } catch (error) {
    throw usageError(`--${(error as Error).message}`)
  }
}

interface Started {
  readonly served: ServedAgent
  readonly server: Server
  readonly store: NamedStore
  readonly token: string | undefined
  readonly flags: ServeFlags
}

async function announce({ served, server, store, token, flags }: Started, output: Output): Promise<void> {
  const { agent, warnings } = served
  const { url, cardUrl, grpcTarget, adminUrl } = server
  const secret =
    token === undefined ? '' : flags.authToken === undefined ? ' --token "$PARLANCE_AUTH_TOKEN"' : ' --token TOKEN'
  const unix = flags.listen.startsWith('unix://')
  const command = unix ? undefined : `${commandLine('send', url)} "ping"${secret}`
  if (output.json) {
    const { name, version } = agent
    const findings = warnings.map(({ text: _, ...finding }) => finding)
    return await output.document({
      url,
      cardUrl,
      grpc: grpcTarget,
      ...(adminUrl !== undefined && { admin: adminUrl }),
      command,
      agent: { name, version },
      store: storeLabel(store),
      pid: supervisor(),
      warnings: findings,
    })
  }
  const label = (text: string): string => output.out.dim(text.padEnd(6))
  await output.lines([
    `${output.out.bold(cleanLine(agent.name))} is served at ${unix ? flags.listen : url}`,
    `${label('card')}${cardUrl}`,
    ...(flags.grpcListen === undefined ? [] : [`${label('grpc')}${grpcTarget}`]),
    ...(adminUrl === undefined ? [] : [`${label('admin')}${adminUrl}`]),
    `${label('tasks')}${store === 'memory' ? 'in memory, gone when this ends' : storeLabel(store).replace(/^sqlite:/, '')}`,
    ...(command === undefined ? [] : [`${label('call')}${command}`]),
  ])
}

/** Ends when the server has been closed after the first signal. */
async function waitForSignal(
  server: Server,
  { delayMs, graceMs, output }: { readonly delayMs: number; readonly graceMs: number; readonly output: Output },
): Promise<void> {
  const signal = await new Promise<EndSignal>((resolve) => {
    if (workerNumber() === undefined) listenForInterrupt(resolve)
    else listenForStop(resolve)
  })
  if (announces() && output.errIsTerminal && !output.json) {
    output.note(
      `${signal === 'SIGINT' ? '\n' : ''}Stopping; running tasks have ${graceMs / 1000} s to finish. Again to stop at once.`,
    )
  }
  // A person at a terminal has no balancer to wait for.
  await server.close({ graceMs, delayMs: signal === 'SIGINT' ? 0 : delayMs })
}
