import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { type ServeOptions, serve } from '../../src/server/index.ts'
import { compareDescriptors } from './descriptors.ts'
import { guestInstalls, guestPlaces, guests, playGuest } from './guests.ts'
import { playJs03, serveJs03 } from './js-0-3.ts'
import { playJs1, serveJs1 } from './js-1.ts'
import { type Cell, type Outcome, playCell } from './matrix.ts'
import { installPeer, type PeerProgram, type Places, peerPrograms } from './peers.ts'
import type { Player } from './play.ts'
import { playParlance } from './play-parlance.ts'
import { playProgram, startServer } from './processes.ts'
import { scripted } from './script.ts'
import type { ServedPeer } from './serve-http.ts'
import { type Binding, bindings, type Version, versions } from './steps.ts'

/** A peer that can be played with here. */
export interface ReadyPeer {
  readonly name: string
  readonly title: string
  readonly version: string
  readonly versions: readonly Version[]
  readonly bindings: readonly Binding[]
  readonly serve: () => Promise<ServedPeer>
  readonly play: Player
  readonly namesNoVersion?: true
}

/** A peer that cannot be had here, and why. */
export interface MissingPeer extends Pick<PeerProgram, 'name' | 'title' | 'version' | 'versions' | 'bindings'> {
  readonly reason: string
}

export interface MatrixResult {
  readonly peers: readonly ReadyPeer[]
  readonly missing: readonly MissingPeer[]
  readonly outcomes: readonly Outcome[]
}

export interface MatrixOptions {
  /** The root of the repository. */
  readonly root: string
  /** Only the peers whose names are listed. */
  readonly only?: readonly string[]
  readonly log: (text: string) => void
}

/**
 * Serves the scripted agent of Parlance as clients of a version need it: those of 0.3 look for their own fields in a card
 * that they ask for without naming a version.
 */
export async function serveParlance(
  version: Version,
  profile: ServeOptions['profile'] = version === '1.0' ? 'spec-1.0.1' : 'itk',
): Promise<ServedPeer> {
  const server = await serve(scripted, { listen: '127.0.0.1:0', profile })
  return { card: server.url, close: () => server.close({ graceMs: 0 }) }
}

/** Installs what can be installed, and plays every cell. */
export async function runMatrix({ root, only, log }: MatrixOptions): Promise<MatrixResult> {
  const wanted = (name: string): boolean => only === undefined || only.includes(name)
  const peers: ReadyPeer[] = [
    {
      name: 'js-1',
      title: 'JavaScript @a2a-js/sdk',
      version: '1.3.0',
      versions,
      bindings,
      serve: serveJs1,
      play: playJs1,
    },
    {
      name: 'js-0.3',
      title: 'JavaScript @a2a-js/sdk',
      version: '0.3.14',
      versions: ['0.3' as const],
      bindings,
      serve: serveJs03,
      play: playJs03,
    },
  ].filter(({ name }) => wanted(name))
  const missing: MissingPeer[] = []
  const parts = join(root, 'test/interop/parts.json')
  for (const program of peerPrograms.filter(({ name }) => wanted(name))) {
    const places = placesOf(program, root)
    log(`${program.title} ${program.version}: installing where it is not installed yet`)
    const reason = installPeer(program, places)
    const { start, toolchain: _, install: __, ...about } = program
    if (reason !== undefined) {
      log(`${program.title} ${program.version}: not here: ${reason}`)
      missing.push({ ...about, reason })
      continue
    }
    const play = playProgram(start('client', places), parts)
    peers.push({ ...about, play, serve: () => startServer(start('server', places), parts) })
  }
  const outcomes: Outcome[] = []
  const python = peerPrograms.find(({ name }) => name === 'python-1' && peers.some((peer) => peer.name === name))
  if (python !== undefined) outcomes.push(...(await compareDescriptors(root, placesOf(python, root))))
  const parlance = { '1.0': await serveParlance('1.0'), '0.3': await serveParlance('0.3') }
  const unversioned = await serveParlance('1.0', { assumedVersion: '1.0' })
  await inTurns(peers, 2, async (peer) => {
    for (const cell of cellsOf(peer, 'server')) {
      const { card } = peer.namesNoVersion ? unversioned : parlance[cell.version]
      outcomes.push(...(await playCell(cell, { card, play: peer.play })))
    }
    const served = await peer.serve().catch((error: Error) => error)
    for (const cell of cellsOf(peer, 'client')) {
      if (served instanceof Error) outcomes.push({ cell, step: 'start', kind: 'failed', problem: served.message })
      else outcomes.push(...(await playCell(cell, { card: served.card, play: playParlance })))
    }
    if (!(served instanceof Error)) await served.close()
    log(`${peer.title} ${peer.version}: played`)
  })
  outcomes.push(...(await playGuests({ root, wanted, log }, { parlance: parlance['0.3'], missing })))
  for (const served of [parlance['1.0'], parlance['0.3'], unversioned]) await served.close()
  return { peers, missing, outcomes }
}

async function playGuests(
  { root, wanted, log }: Pick<MatrixOptions, 'root' | 'log'> & { readonly wanted: (name: string) => boolean },
  { parlance, missing }: { readonly parlance: ServedPeer; readonly missing: MissingPeer[] },
): Promise<Outcome[]> {
  const outcomes: Outcome[] = []
  for (const needed of guestInstalls.filter(({ name }) => wanted(name))) {
    const own = guests.filter(({ name }) => name === needed.name)
    const titles = own.map(({ title }) => title).join(', ')
    log(`${titles}: installing where it is not installed yet`)
    const places = placesOf(needed, root)
    const reason = installPeer(needed, places)
    if (reason !== undefined) {
      const gone = own.map(({ title, version, cell }) => ({
        name: title,
        title,
        version,
        reason,
        versions: [cell.version],
        bindings: [cell.binding],
      }))
      missing.push(...gone)
      continue
    }
    for (const guest of own)
      outcomes.push(...(await playGuest(guest, { ...guestPlaces(dirname(places.cache)), parlance })))
    log(`${titles}: played`)
  }
  return outcomes
}

function placesOf({ name }: Pick<PeerProgram, 'name'>, root: string): Places {
  const cache = process.env.PARLANCE_PEERS ?? join(homedir(), '.cache/parlance-peers')
  return { source: join(root, 'test/interop/peers', name), cache: join(cache, name) }
}

function cellsOf(peer: Pick<ReadyPeer, 'name' | 'versions' | 'bindings'>, parlance: Cell['parlance']): Cell[] {
  return peer.versions.flatMap((version) =>
    peer.bindings.map((binding) => ({ parlance, peer: peer.name, version, binding })),
  )
}

/** Works through a list with so many at a time. */
async function inTurns<T>(items: readonly T[], workers: number, work: (item: T) => Promise<void>): Promise<void> {
  const left = [...items]
  const one = async (): Promise<void> => {
    for (let item = left.shift(); item !== undefined; item = left.shift()) await work(item)
  }
  await Promise.all(Array.from({ length: workers }, one))
}
