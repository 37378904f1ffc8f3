import { describe, expect, test } from 'vitest'
import { isHoldLost } from '../engine/store.ts'
import { A2AError } from '../protocol/errors.ts'
import { type CommitPort, CommitQueue, type CommitUnit, type Hold, type UnitResult } from './commit-queue.ts'
import { message, scope } from './testing-entries.ts'

type Reply = { readonly results: readonly UnitResult[] | null } | typeof failed

/** A committer that answers when told to. */
function scripted() {
  const asked: (readonly CommitUnit[])[] = []
  const answers: ((reply: Reply) => void)[] = []
  const port: CommitPort = {
    commit: (units) => {
      asked.push(units)
      return new Promise((resolve, reject) =>
        answers.push((reply) =>
          'failed' in reply ? reject(new A2AError('Unavailable', reply.failed)) : resolve(reply.results),
        ),
      )
    },
  }
  const committed: number[] = []
  const refused: Hold[] = []
  const queue = new CommitQueue(port, {
    longest: 5,
    committed: (_, entries) => committed.push(...entries.map(({ seq }) => seq)),
    refused: (hold) => refused.push(hold),
  })
  const begin = (id: string) => queue.hold(scope, id, { task: { scope, id, contextId: 'c' }, seq: 0 })
  const turn = () => new Promise((resolve) => setImmediate(resolve))
  return { queue, asked, answers, committed, refused, begin, turn }
}

const failed = { failed: 'The disk is full' }

describe('the commit queue', () => {
  test('has one commit under way, and gathers meanwhile', async () => {
    const { queue, asked, answers, committed, begin, turn } = scripted()
    const [a, b] = [begin('a'), begin('b')]
    const first = queue.append(a, [message(1, 'x')])
    await turn()
    const rest = [
      queue.append(a, [message(2, 'x')]),
      queue.append(b, [message(1, 'x')]),
      queue.append(a, [message(3, 'x')]),
    ]
    await turn()
    expect(asked).toHaveLength(1)
    expect(committed).toEqual([])
    answers[0]!({ results: null })
    await first
    await turn()
    expect(asked).toHaveLength(2)
    expect(committed).toEqual([1])
    answers[1]!({ results: null })
    await Promise.all(rest)
    expect(committed).toEqual([1, 2, 3, 1])
  })

  test('a commit that fails rejects its appends and what was appended to the same tasks since', async () => {
    const { queue, answers, committed, begin, turn } = scripted()
    const [a, b] = [begin('a'), begin('b')]
    const lost = [queue.append(a, [message(1, 'x')])]
    await turn()
    lost.push(queue.append(a, [message(2, 'x')], { release: true }))
    const other = queue.append(b, [message(1, 'x')])
    answers[0]!(failed)
    for (const promise of lost)
      await expect(promise).rejects.toMatchObject({ code: 'Unavailable', message: 'The disk is full' })
    await turn()
    answers[1]!({ results: null })
    await other
    const again = [queue.append(a, [message(1, 'again')]), queue.append(a, [message(2, 'x')], { release: true })]
    await turn()
    answers[2]!({ results: null })
    await Promise.all(again)
    expect(committed).toEqual([1, 1, 2])
  })

  test('a refused unit fails alone', async () => {
    const { queue, answers, committed, refused, begin, turn } = scripted()
    const [a, b] = [begin('a'), begin('b')]
    const appends = [queue.append(a, [message(1, 'x')]), queue.append(b, [message(1, 'x')])]
    await turn()
    answers[0]!({ results: [{ refused: 'not yours' }, null] })
    await expect(appends[0]).rejects.toMatchObject({ code: 'Unavailable', message: 'not yours' })
    await appends[1]
    expect(refused).toEqual([a])
    expect(committed).toEqual([1])
  })

  test('once holds are lost, nothing is written with them: not what waits, and nothing new', async () => {
    const { queue, asked, answers, begin, turn } = scripted()
    const a = begin('a')
    const first = queue.append(a, [message(1, 'x')])
    await turn()
    const second = queue.append(a, [message(2, 'x')])
    queue.lose()
    for (const promise of [second, queue.append(a, [message(3, 'x')])]) {
      await expect(promise).rejects.toSatisfy(isHoldLost)
    }
    answers[0]!({ results: [{ refused: 'gone', lost: true }] })
    await expect(first).rejects.toSatisfy(isHoldLost)
    const b = queue.append(begin('b'), [message(1, 'x')])
    await turn()
    answers[1]!({ results: null })
    await b
    expect(asked).toHaveLength(2)
  })

  test('what is new is refused while much waits, what is under way is not', async () => {
    const { queue, answers, begin, turn } = scripted()
    const a = begin('a')
    const appends = [queue.append(a, [message(1, 'x')])]
    await turn()
    for (const id of ['b', 'c', 'd', 'e', 'f']) appends.push(queue.append(begin(id), [message(1, 'x')]))
    const refused = expect(queue.append(begin('g'), [message(1, 'x')]))
    await refused.rejects.toMatchObject({ code: 'Unavailable', retryAfter: 1 })
    appends.push(queue.append(a, [message(2, 'x')]))
    answers[0]!({ results: null })
    await turn()
    await turn()
    answers[1]!({ results: null })
    await Promise.all(appends)
  })

  test('closes when all is written', async () => {
    const { queue, answers, begin, turn } = scripted()
    const order: string[] = []
    const a = begin('a')
    const written = queue.append(a, [message(1, 'x')]).then(() => order.push('written'))
    const closed = queue.close().then(() => order.push('closed'))
    await expect(queue.append(a, [message(2, 'x')])).rejects.toMatchObject({ code: 'Unavailable' })
    await turn()
    expect(order).toEqual([])
    answers[0]!({ results: null })
    await Promise.all([written, closed])
    expect(order).toEqual(['written', 'closed'])
  })
})
