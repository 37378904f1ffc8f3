import { describe, expect, test } from 'vitest'
import { type HintBus, Hints, longestHint } from './hints.ts'

/** A bus between processes of this test; what was said is kept. */
function bus(): { join(): HintBus; readonly said: string[] } {
  const said: string[] = []
  const ears = new Set<(text: string) => void>()
  const join = (): HintBus => ({
    publish: (text) => {
      said.push(text)
      for (const ear of ears) ear(text)
    },
    onMessage: (callback) => {
      ears.add(callback)
      return () => ears.delete(callback)
    },
  })
  return { join, said }
}

const turn = () => new Promise((resolve) => setTimeout(resolve, 5))

describe('hints', () => {
  test('a writer calls out only what others watch, once a turn', async () => {
    const { join, said } = bus()
    const [one, two] = [new Hints(1, join()), new Hints(2, join())]
    const heard: string[] = []
    const stop = one.watch('a', () => heard.push('a'))
    await turn()
    two.changed('a')
    two.changed('a')
    two.changed('b')
    one.changed('a')
    await turn()
    expect(heard).toEqual(['a'])
    expect(said).toHaveLength(2)
    stop()
    two.changed('a')
    await turn()
    expect(heard).toEqual(['a'])
    one.close()
    two.close()
  })

  test('mail is told to the process it is for, and left tasks to everybody else', async () => {
    const { join } = bus()
    const told: string[] = []
    const processes = [1, 2, 3].map((process) => {
      const hints = new Hints(process, join())
      hints.listen({
        mail: () => told.push(`mail ${process}`),
        abandoned: () => told.push(`abandoned ${process}`),
        lost: () => told.push(`lost ${process}`),
      })
      return hints
    })
    processes[0]?.mail(2)
    await turn()
    processes[1]?.abandoned()
    await turn()
    expect(told).toEqual(['mail 2', 'abandoned 1', 'abandoned 3'])
    for (const hints of processes) hints.close()
  })

  test('long lists go in pieces that the bus takes, and nonsense is ignored', async () => {
    const { join, said } = bus()
    const hints = new Hints(1, join())
    const ids = Array.from({ length: 2_000 }, (_, number) => `task-é-${number}`)
    for (const id of [...ids, 'x'.repeat(9_000)]) hints.watch(id, () => {})
    await turn()
    for (const text of said) expect(Buffer.byteLength(text)).toBeLessThan(longestHint)
    expect(said.flatMap((text) => (JSON.parse(text) as { watch: string[] }).watch)).toEqual(ids)
    for (const text of ['', '{', 'null', '[]', '{"watch":1}']) {
      try {
        join().publish(text)
      } catch {
        expect.unreachable(text)
      }
    }
    hints.close()
  })

  test('without a bus nothing is said', async () => {
    const hints = new Hints(1)
    hints.watch('a', () => {})()
    hints.changed('a')
    hints.mail(2)
    hints.close()
  })
})
