import { parseArgs } from 'node:util'
import { type ProfileName, profiles } from '../../src/protocol/profiles.ts'
import { type Mode, nameOf, type Pass, passes, playPass, suites } from './passes.ts'
import type { Result } from './run.ts'

const usage = `Plays conformance suites and prints a line for each requirement and binding.

  node scripts/conformance.mjs [options]

  --url URL          a server that runs already; without it the conformance agent is started for each pass
  --suite NAME       ${Object.keys(suites).join(' or ')}; all of them by default
  --profile NAME     what the server follows: ${Object.keys(profiles).join(', ')}
  --mode NAME        default, reduced or auth
  --only TEXT        ids that hold this text; may be given again
  --json             one JSON document in place of lines
`

/** The passes that the options choose. */
function chosen(values: { readonly [name: string]: unknown }): readonly Pass[] {
  const { url, suite, profile, mode } = values as Readonly<Record<string, string | undefined>>
  if (suite !== undefined && !(suite in suites)) throw new TypeError(`--suite: there is no suite ${suite}`)
  if (profile !== undefined && !(profile in profiles)) throw new TypeError(`--profile: there is no profile ${profile}`)
  const fits = passes.filter(
    (pass) =>
      (suite === undefined || pass.suite === suite) &&
      (profile === undefined || pass.profile === profile) &&
      (mode === undefined || pass.mode === mode),
  )
  if (url === undefined && fits.length > 0) return fits
  const names = suite === undefined ? Object.keys(suites) : [suite]
  const own: Readonly<Record<string, ProfileName>> = { acts: 'acts', 'tck-1.0': 'tck-1.0', 'tck-0.3': 'tck-0.3' }
  return names.map((name) => ({
    suite: name,
    profile: (profile ?? own[name] ?? 'spec-1.0.1') as ProfileName,
    mode: (mode ?? 'default') as Mode,
  }))
}

function line({ outcome, id, level, binding, title, reason }: Result): string {
  const head = `${outcome}  ${id.padEnd(24)} ${level.padEnd(6)} ${binding.padEnd(9)}`
  return `${head} ${reason === '' ? title : `${title}: ${reason}`}`
}

/** Runs the command; gives its exit code. */
export async function main(args: readonly string[], print: (text: string) => void): Promise<number> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      url: { type: 'string' },
      suite: { type: 'string' },
      profile: { type: 'string' },
      mode: { type: 'string' },
      only: { type: 'string', multiple: true },
      json: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) {
    print(usage)
    return 0
  }
  const all: Result[] = []
  for (const pass of chosen(values)) {
    if (!values.json) print(`\n${nameOf(pass)}`)
    const results = await playPass(pass, {
      ...(values.url !== undefined && { url: values.url }),
      ...(values.only && { only: values.only }),
    })
    all.push(...results)
    if (!values.json) for (const result of results) print(line(result))
  }
  const count = (outcome: Result['outcome']): number => all.filter((result) => result.outcome === outcome).length
  if (values.json) print(JSON.stringify(all, null, 2))
  else print(`\n${count('skip')} left out\n${count('pass')} passed, ${count('fail')} failed`)
  return count('fail') === 0 && all.length > 0 ? 0 : 1
}
