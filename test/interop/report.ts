import { descriptorsPeer } from './descriptors.ts'
import { guests } from './guests.ts'
import type { Outcome } from './matrix.ts'
import type { MatrixResult, ReadyPeer } from './run.ts'
import { bindings, type Version, versions } from './steps.ts'

/** How many outcomes there are of each kind; stale blames count as failures. */
export function totals({ outcomes }: MatrixResult): { passed: number; failed: number; blamed: number; absent: number } {
  const count = (...kinds: readonly Outcome['kind'][]): number =>
    outcomes.filter(({ kind }) => kinds.includes(kind)).length
  return { passed: count('passed'), failed: count('failed', 'stale'), blamed: count('blamed'), absent: count('absent') }
}

/** One line for each failure. */
export function failureLines({ outcomes }: MatrixResult): string[] {
  return outcomes
    .filter(({ kind }) => kind === 'failed' || kind === 'stale')
    .map(({ cell, step, kind, problem }) => {
      const where = `Parlance as ${cell.parlance}, ${cell.peer} ${cell.version} ${cell.binding}, ${step}`
      return `${where}: ${kind === 'stale' ? 'blamed on the peer, but it works' : problem}`
    })
}

/** The matrix as a Markdown table, one row for each peer, direction and version. */
export function matrixTable(result: MatrixResult): string {
  const rows = [...result.peers, ...result.missing].flatMap((peer) =>
    (['server', 'client'] as const).flatMap((parlance) =>
      peer.versions.map((version) => {
        const cells = bindings.map((binding) => {
          if ('reason' in peer) return 'not here'
          const own = result.outcomes.filter(
            ({ cell }) =>
              cell.peer === peer.name &&
              cell.parlance === parlance &&
              cell.version === version &&
              cell.binding === binding,
          )
          return cellText(own)
        })
        return `| Parlance ${parlance} | ${peer.title} ${peer.version} ${parlance === 'server' ? 'client' : 'server'} | ${version} | ${cells.join(' | ')} |`
      }),
    ),
  )
  for (const { title, version, cell } of guests) {
    const own = result.outcomes.filter((outcome) => outcome.cell.peer === title)
    if (own.length === 0) continue
    const cells = bindings.map((binding) => (binding === cell.binding ? cellText(own) : '–'))
    rows.push(`| Parlance ${cell.parlance} | ${title} ${version} | ${cell.version} | ${cells.join(' | ')} |`)
  }
  for (const version of versions) {
    const own = result.outcomes.filter(({ cell }) => cell.peer === descriptorsPeer && cell.version === version)
    if (own.length > 0)
      rows.push(`| Parlance descriptors | ${descriptorsPeer} 1.3.0 | ${version} | – | – | ${cellText(own)} |`)
  }
  return [`| | with | A2A | ${bindings.join(' | ')} |`, '|---|---|---|---|---|---|', ...rows].join('\n')
}

function cellText(outcomes: readonly Outcome[]): string {
  if (outcomes.length === 0) return '–'
  const count = (kind: Outcome['kind']): number => outcomes.filter((outcome) => outcome.kind === kind).length
  const played = outcomes.length - count('absent')
  const notes = [
    ...(count('blamed') > 0 ? [`${count('blamed')} blamed`] : []),
    ...(count('failed') + count('stale') > 0 ? [`**${count('failed') + count('stale')} failed**`] : []),
  ]
  return `${count('passed')}/${played}${notes.length > 0 ? ` (${notes.join(', ')})` : ''}`
}

/** The blamed steps as a Markdown table: who, where, what it looks like, why. */
export function blameTable({ outcomes, peers }: MatrixResult): string {
  const groups = new Map<string, { readonly outcome: Outcome; readonly cells: string[] }>()
  for (const outcome of outcomes) {
    const { blame, cell, step, kind } = outcome
    if (kind !== 'blamed' || blame === undefined) continue
    const key = `${cell.peer} ${blame.as} ${blame.reason}`
    const group = groups.get(key) ?? { outcome, cells: [] }
    group.cells.push(`${cell.version} ${cell.binding}: ${step}`)
    groups.set(key, group)
  }
  const rows = [...groups.values()].map(({ outcome, cells }) => {
    const { blame, problem = '', cell } = outcome
    return `| ${nameOf(peers, cell.peer)} ${blame?.as} | ${merged(cells)} | ${blame?.reason} | \`${cellSafe(problem)}\` |`
  })
  return ['| Peer | Where | Reason | Evidence |', '|---|---|---|---|', ...rows].join('\n')
}

/** The steps that do not exist in a cell, by the reason. */
export function absentTable({ outcomes, peers, missing }: MatrixResult): string {
  const groups = new Map<string, string[]>()
  for (const { kind, cell, step, problem = '' } of outcomes) {
    if (kind !== 'absent') continue
    const who = cell.parlance === 'client' ? 'Parlance client' : `${nameOf(peers, cell.peer)} client`
    const key = `| ${who} | ${problem.replace('the SDK has no such call: ', '')} |`
    groups.set(key, [...(groups.get(key) ?? []), `${cell.version} ${cell.binding}: ${step}`])
  }
  const rows = [...groups].map(([key, cells]) => `${key} ${merged([...new Set(cells)])} |`)
  const peersHere = missing.map(({ title, version, reason }) => `| ${title} ${version} | ${cellSafe(reason)} | all |`)
  return ['| Who | Why | Where |', '|---|---|---|', ...rows, ...peersHere].join('\n')
}

function nameOf(peers: readonly ReadyPeer[], name: string): string {
  const peer = peers.find((known) => known.name === name)
  return peer === undefined ? name : `${peer.title} ${peer.version}`
}

/** Cells with the same place in one, by step. */
function merged(cells: readonly string[]): string {
  const byStep = new Map<string, string[]>()
  for (const cell of cells) {
    const [place = '', step = ''] = cell.split(': ')
    byStep.set(step, [...(byStep.get(step) ?? []), place])
  }
  const byPlace = new Map<string, string[]>()
  for (const [step, places] of byStep) {
    const key = compact(places)
    byPlace.set(key, [...(byPlace.get(key) ?? []), step])
  }
  return [...byPlace].map(([places, steps]) => `${places}: ${steps.join(', ')}`).join('; ')
}

function compact(places: readonly string[]): string {
  return (['1.0', '0.3'] as const satisfies readonly Version[])
    .map((version) => {
      const own = places.filter((place) => place.startsWith(version)).map((place) => place.slice(version.length + 1))
      if (own.length === 0) return ''
      return `${version} ${bindings.every((binding) => own.includes(binding)) ? 'all bindings' : own.join(', ')}`
    })
    .filter((text) => text !== '')
    .join(' and ')
}

function cellSafe(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ').replaceAll('`', "'").replaceAll('|', '\\|')
  return line.length > 160 ? `${line.slice(0, 160)}…` : line
}
