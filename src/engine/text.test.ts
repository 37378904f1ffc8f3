import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Part } from '../protocol/generated/v1/types.ts'
import { joinParts } from '../protocol/task.ts'
import type { ChunkEntry } from './store.ts'
import { ArtifactContent, frameIds, frameText, mergeHeads, timestamp } from './text.ts'
import { content } from './yields.ts'

const chunk = (parts: readonly Part[], rest: Partial<ChunkEntry> = {}): ChunkEntry => ({
  kind: 'chunk',
  seq: 1,
  artifact: 0,
  append: true,
  lastChunk: false,
  ...content(parts),
  ...rest,
})

const texts = fc.oneof(
  fc.string({ unit: 'grapheme' }),
  fc.constantFrom('', '"', '\\', '\\"', '","mediaType":"', '"}', '\n', '{"text":"'),
)
const part: fc.Arbitrary<Part> = fc.oneof(
  texts.map((text) => ({ text })),
  fc.record({ text: texts, mediaType: fc.constantFrom('text/plain', 'text/markdown', 'a"b', 'x\\') }),
  fc.record({ mediaType: fc.constantFrom('text/plain', 'text/markdown'), text: texts }),
  fc.record({ text: texts, filename: fc.constant('f') }),
  fc.record({ data: fc.jsonValue() as fc.Arbitrary<null> }),
  fc.record({ url: fc.webUrl() }),
)

describe('the content of an artifact', () => {
  it('is what joining its parts gives, whatever the parts are (STRM-15)', () => {
    fc.assert(
      fc.property(
        fc.array(fc.array(part, { minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 12 }),
        (chunks) => {
          const artifact = new ArtifactContent()
          for (const [index, parts] of chunks.entries()) {
            const whole = chunk(joinParts([], parts))
            artifact.add(index === 0 ? { ...whole, append: false, head: '{"artifactId":"a"}' } : whole)
          }
          const expected = chunks.reduce<readonly Part[]>((known, parts) => joinParts(known, joinParts([], parts)), [])
          const { parts } = JSON.parse(artifact.text) as { parts: Part[] }
          const textOf = (list: readonly Part[]): string =>
            list.map((each) => each.text ?? JSON.stringify(each.data ?? each.url)).join('')
          expect(textOf(parts)).toBe(textOf(expected))
          const simple = chunks
            .flat()
            .every((each) => Object.keys(each).length === 1 || !/["\\]/.test(each.mediaType ?? ''))
          if (simple && chunks.every((each) => each.length === 1)) expect(parts).toEqual(expected)
        },
      ),
    )
  })

  it('merges heads: members replace, metadata by key, extensions unite (Case 9)', () => {
    const known = '{"artifactId":"a","name":"old","metadata":{"k":1,"j":1},"extensions":["x"]}'
    expect(
      JSON.parse(mergeHeads(known, '{"artifactId":"a","name":"new","metadata":{"k":2},"extensions":["y","x"]}')),
    ).toEqual({
      artifactId: 'a',
      name: 'new',
      metadata: { k: 2, j: 1 },
      extensions: ['x', 'y'],
    })
  })
})

describe('frames', () => {
  const ids = frameIds('t"1', 'c')
  it.each([
    [
      { kind: 'status', seq: 2, state: 'TASK_STATE_WORKING', time: 0 } as const,
      '{"statusUpdate":{"taskId":"t\\"1","contextId":"c","status":{"state":"TASK_STATE_WORKING","timestamp":"1970-01-01T00:00:00.000Z"}}}',
    ],
    [
      chunk([{ text: 'a"b' }], { head: '{"artifactId":"a"}', append: false, lastChunk: true, metadata: '{"m":1}' }),
      '{"artifactUpdate":{"taskId":"t\\"1","contextId":"c","artifact":{"artifactId":"a","parts":[{"text":"a\\"b"}]},"lastChunk":true,"metadata":{"m":1}}}',
    ],
    [
      chunk([{ data: null }]),
      '{"artifactUpdate":{"taskId":"t\\"1","contextId":"c","artifact":{"artifactId":"h","parts":[{"data":null}]},"append":true}}',
    ],
    [{ kind: 'message', seq: 1, text: '{}' } as const, undefined],
  ])('are pinned (DM-22, DM-23, DM-24, PJ-01, PJ-03, PJ-13)', (entry, text) => {
    expect(frameText(ids, entry, '{"artifactId":"h"}')).toBe(text)
  })

  it('have times in UTC with milliseconds (PJ-06, PJ-07, DM-12)', () => {
    expect(timestamp(1_790_000_000_120)).toBe('2026-09-21T14:13:20.120Z')
  })
})
