import { afterAll, beforeAll, describe, expect, test } from 'vitest'
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

for (const { peer, parlance, serve, play, versions } of rows) {
  for (const version of versions) {
    describe(`Parlance as ${parlance} with ${peer} at ${version}`, () => {
      let served: ServedPeer | undefined
      beforeAll(async () => {
        served = await serve(version)
      })
      afterAll(() => served?.close())
      test.each(bindings)('%s', async (binding) => {
        const outcomes = await playCell({ peer, parlance, version, binding }, { card: served?.card ?? '', play })
        const wrong = outcomes.filter(({ kind }) => kind === 'failed' || kind === 'stale')
        expect(wrong.map(({ step, problem = 'blamed, but it works' }) => `${step}: ${problem}`)).toEqual([])
      })
    })
  }
}
