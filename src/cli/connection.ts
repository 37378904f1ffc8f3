import type { Agent } from '../client/agent.ts'
import type { ConnectOptions } from '../client/options.ts'
import type { Endpoint, StreamEvent, StreamReply } from '../protocol/endpoint.ts'
import type { StreamResponse } from '../protocol/generated/v1/types.ts'
import { parseDuration, parseHeaders } from './arguments.ts'
import { bindingNames } from './binding-names.ts'
import { usageError } from './command-error.ts'
import type { Output } from './output.ts'
import { commandLine } from './shell.ts'
import { parseTarget, type Target } from './target.ts'

/** The flags of every command. */
export interface CommonFlags {
  readonly json?: boolean
  readonly debug?: boolean
}

/** The flags of every command that calls an agent. */
export interface AgentFlags extends CommonFlags {
  readonly token?: string
  readonly header?: readonly string[]
  /** A name in `bindingNames`. */
  readonly binding?: string
  readonly a2aVersion?: '1.0' | '0.3'
  /** The longest silence, as a duration. */
  readonly timeout?: string
}

/** An agent that a command calls. */
export interface Connection {
  readonly agent: Agent
  /** The number of an event in its task's log, where the agent numbers them. */
  eventId(event: StreamResponse): number | undefined
  /** A command line for the same agent; credentials are named, not shown. */
  command(name: string, ...args: readonly string[]): string
  /** Tells a person, once the command is done, what was tolerated. */
  finish(): void
}

/** Whom the flags name, and the options for calling it. */
export function connectOptions(
  text: string,
  flags: AgentFlags,
  env: Readonly<Record<string, string | undefined>> = process.env,
): { readonly target: Target; readonly options: ConnectOptions } {
  const target = parseTarget(text)
  const given = parseHeaders(flags.header ?? [])
  const token =
    flags.token ?? (given.authorization === undefined && !target.authorization ? env.PARLANCE_TOKEN : undefined)
  if (token !== undefined && !/^[\x21-\x7e]+$/.test(token)) {
    throw usageError(
      `${flags.token === undefined ? 'PARLANCE_TOKEN' : '--token'}: must be printable characters without spaces`,
    )
  }
  const headers = { ...(target.authorization !== undefined && { authorization: target.authorization }), ...given }
  const binding = flags.binding === undefined ? undefined : bindingNames[flags.binding]
  const silence = flags.timeout === undefined ? undefined : parseDuration(flags.timeout, '--timeout')
  return {
    target,
    options: {
      ...(token !== undefined && { token }),
      ...(Object.keys(headers).length > 0 && { headers }),
      ...(binding !== undefined && { binding }),
      ...(flags.a2aVersion !== undefined && { version: flags.a2aVersion }),
      ...(silence !== undefined && { limits: { firstByte: silence, firstByteOfSend: silence, idle: silence } }),
    },
  }
}

/** A command line for an agent that was called with these flags. */
export function agentCommand(target: Target, flags: AgentFlags, args: readonly string[]): string {
  const [name = '', ...rest] = args
  const more = [
    ...(flags.binding === undefined ? [] : [`--binding ${flags.binding}`]),
    ...(flags.a2aVersion === undefined ? [] : [`--a2a-version ${flags.a2aVersion}`]),
    ...(flags.token === undefined ? [] : ['--token TOKEN']),
    ...(flags.header ?? []).map((line) => `--header '${line.slice(0, line.indexOf(':')).replaceAll("'", '')}: …'`),
  ]
  return [commandLine(name, target.url, ...rest), ...more].join(' ')
}

/** Finds the agent that a command is for. */
export async function connectTo(text: string, flags: AgentFlags, output: Output): Promise<Connection> {
  const { target, options } = connectOptions(text, flags)
  const { connect } = await import('../client/connect.ts')
  const ids = new WeakMap<StreamResponse, number>()
  let tolerated = 0
  const agent = await connect(target.url, {
    ...options,
    middleware: [(next) => withEventIds(next, ids)],
    onWarning: (warning) => {
      tolerated += 1
      if (flags.debug) output.warn(warning)
    },
  })
  return {
    agent,
    eventId: (event) => ids.get(event),
    command: (...args) => agentCommand(target, flags, args),
    finish() {
      if (tolerated === 0 || flags.debug || !output.errIsTerminal) return
      const text = tolerated === 1 ? 'an oddity of this agent was' : `${tolerated} oddities of this agent were`
      output.note(output.err.dim(`${text} tolerated; --debug shows more`))
    },
  }
}

/** Keeps the number of each event that passes. */
function withEventIds(next: Endpoint, ids: WeakMap<StreamResponse, number>): Endpoint {
  return {
    unary: (call) => next.unary(call),
    async stream(call) {
      const reply = await next.stream(call)
      const { events } = reply
      async function* noted(): AsyncGenerator<readonly StreamEvent[]> {
        for await (const group of events) {
          for (const { id, value } of group) if (id !== undefined) ids.set(value, id)
          yield group
        }
      }
      // What else the reply has, such as a hint when to come back, stays readable.
      return Object.create(reply, { events: { value: noted() } }) as StreamReply
    },
  }
}
