import { actsAuthenticator } from '../../examples/conformance/acts-auth.ts'
import { conformanceAgent } from '../../examples/conformance/agent.ts'
import type { ProfileName } from '../../src/protocol/profiles.ts'
import { type Server, serve } from '../../src/server/serve.ts'
import { actsChecks } from './acts/index.ts'
import { oldChecks } from './old/index.ts'
import { type Result, runChecks } from './run.ts'
import type { Check } from './scene.ts'
import { conformanceTokens, readSubject, type Style } from './subject.ts'
import { tckChecks } from './tck/index.ts'

/** The suites that are played here. */
export const suites: Readonly<Record<string, { readonly style: Style; readonly checks: readonly Check[] }>> = {
  'tck-1.0': { style: 'tck', checks: tckChecks },
  acts: { style: 'acts', checks: actsChecks },
  'tck-0.3': { style: 'tck-0.3', checks: oldChecks },
}

/** How the agent is started: with all it can do, with little, or with tokens asked for. */
export type Mode = 'default' | 'reduced' | 'auth'

/** One suite against one start of the agent. */
export interface Pass {
  readonly suite: keyof typeof suites
  readonly profile: ProfileName
  readonly mode: Mode
}

/** Every suite with each profile and each start that says something of its own. */
export const passes: readonly Pass[] = [
  { suite: 'tck-1.0', profile: 'tck-1.0', mode: 'default' },
  { suite: 'tck-1.0', profile: 'tck-1.0-alpha', mode: 'default' },
  { suite: 'tck-1.0', profile: 'spec-1.0.1', mode: 'default' },
  { suite: 'tck-1.0', profile: 'tck-1.0', mode: 'reduced' },
  { suite: 'tck-1.0', profile: 'spec-1.0.1', mode: 'auth' },
  { suite: 'acts', profile: 'acts', mode: 'default' },
  { suite: 'acts', profile: 'acts', mode: 'reduced' },
  { suite: 'acts', profile: 'acts', mode: 'auth' },
  { suite: 'acts', profile: 'itk', mode: 'default' },
  { suite: 'tck-0.3', profile: 'tck-0.3', mode: 'default' },
]

/** A pass in words. */
export function nameOf({ suite, profile, mode }: Pass): string {
  return `${suite} with profile ${profile}${mode === 'default' ? '' : `, ${mode}`}`
}

/** Serves the conformance agent as a pass wants it. */
export function serveFor({ profile, mode }: Pick<Pass, 'profile' | 'mode'>): Promise<Server> {
  return serve(conformanceAgent({ reduced: mode === 'reduced' }), {
    listen: '127.0.0.1:0',
    profile,
    ...(mode === 'auth' && { authenticator: actsAuthenticator }),
  })
}

export interface PlayOptions {
  /** A server that runs already; without it, one is started for the pass. */
  readonly url?: string
  readonly only?: readonly string[]
}

/** Plays a pass. */
export async function playPass(pass: Pass, { url, only }: PlayOptions = {}): Promise<readonly Result[]> {
  const server = url === undefined ? await serveFor(pass) : undefined
  const { style, checks } = suites[pass.suite] as (typeof suites)[string]
  try {
    const subject = await readSubject(url ?? server?.url ?? '', {
      profile: pass.profile,
      style,
      ...(pass.mode === 'auth' && { tokens: conformanceTokens }),
    })
    return await runChecks(subject, { suite: nameOf(pass), checks, ...(only && { only }) })
  } finally {
    await server?.close({ graceMs: 0 })
  }
}
