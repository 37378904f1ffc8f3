import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { playJs03, serveJs03 } from './js-0-3.ts'
import { playJs1, serveJs1 } from './js-1.ts'
import { type Cell, playCell } from './matrix.ts'
import type { Player } from './play.ts'
import { playParlance } from './play-parlance.ts'
import { serveParlance } from './run.ts'
import type { ServedPeer } from './serve-http.ts'
import { bindings, type Version, versions } from './steps.ts'

interface Row {
  readonly peer: string
  readonly parlance: Cell['parlance']
  readonly serve: (version: Version) => Promise<ServedPeer>
  readonly play: Player
  readonly versions: readonly Version[]
}

const rows: readonly Row[] = [
  { peer: 'Parlance', parlance: 'server', serve: serveParlance, play: playParlance, versions },
  { peer: 'js-1', parlance: 'server', serve: serveParlance, play: playJs1, versions },
  { peer: 'js-1', parlance: 'client', serve: serveJs1, play: playParlance, versions },
  { peer: 'js-0.3', parlance: 'server', serve: serveParlance, play: playJs03, versions: ['0.3'] },
  { peer: 'js-0.3', parlance: 'client', serve: serveJs03, play: playParlance, versions: ['0.3'] },
]

describe.concurrent('the SDKs for JavaScript', () => {
  // They write what they refuse to the console.
  beforeAll(() => void vi.spyOn(console, 'error').mockImplementation(() => {}))
  afterAll(() => void vi.restoreAllMocks())

  const cells = rows.flatMap((row) => row.versions.map((version) => ({ ...row, version })))
  test.each(cells)('Parlance as $parlance with $peer at $version', async ({ peer, parlance, serve, play, version }) => {
    const served = await serve(version)
    try {
      const outcomes = await Promise.all(
        bindings.map((binding) => playCell({ peer, parlance, version, binding }, { card: served.card, play })),
      )
      const wrong = outcomes.flat().filter(({ kind }) => kind === 'failed' || kind === 'stale')
      const lines = wrong.map(
        ({ cell, step, problem }) => `${cell.binding} ${step}: ${problem ?? 'blamed, but it works'}`,
      )
      expect(lines).toEqual([])
    } finally {
      await served.close()
    }
  })
})
