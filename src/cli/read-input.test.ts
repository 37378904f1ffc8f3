import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { extensionOf, mediaTypeOf } from './media-types.ts'
import { type InputStream, readParts } from './read-input.ts'

function stdin(chunks: readonly (string | Uint8Array)[], isTTY = false): InputStream {
  return {
    isTTY,
    async *[Symbol.asyncIterator]() {
      yield* chunks
    },
  }
}
const terminal = stdin([], true)

describe('readParts', () => {
  test('joins the words', async () => {
    expect(await readParts(['say', 'hello'], {}, terminal)).toEqual([{ text: 'say hello' }])
  })

  test('reads what is piped in, without its last line end', async () => {
    const bytes = new TextEncoder().encode('zwölf\n\n')
    expect(await readParts([], {}, stdin([bytes.slice(0, 3), bytes.slice(3)]))).toEqual([{ text: 'zwölf\n' }])
  })

  test('puts standard input where the - is', async () => {
    expect(await readParts(['sum', 'up:', '-'], {}, stdin(['a\r\n']))).toEqual([{ text: 'sum up: a' }])
  })

  test('leaves standard input alone when there is something else', async () => {
    expect(await readParts(['hi'], {}, stdin(['no']))).toEqual([{ text: 'hi' }])
    expect(await readParts([], { data: ['1'] }, stdin(['no']))).toEqual([{ data: 1 }])
  })

  test('sends files, data and parts after the text', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'parlance-input-'))
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    const path = join(folder, 'a.JPG')
    writeFileSync(path, 'x')
    const flags = { file: [path], data: ['{"a":1}'], part: ['{"url":"https://a.test/b"}'] }
    expect(await readParts(['see'], flags, terminal)).toEqual([
      { text: 'see' },
      { raw: 'eA==', filename: 'a.JPG', mediaType: 'image/jpeg' },
      { data: { a: 1 } },
      { url: 'https://a.test/b' },
    ])
  })

  const refused: readonly (readonly [name: string, read: () => Promise<unknown>, message: RegExp])[] = [
    ['nothing on a terminal', () => readParts([], {}, terminal), /^there is nothing to send$/],
    ['an empty pipe', () => readParts([], {}, stdin(['\n'])), /^there is nothing to send: the text is empty$/],
    [
      'a missing file',
      () => readParts([], { file: ['/nowhere/a'] }, terminal),
      /^--file \/nowhere\/a: there is no such file$/,
    ],
    ['a folder', () => readParts([], { file: [tmpdir()] }, terminal), /: is a folder/],
    ['data that is no JSON', () => readParts([], { data: ['{'] }, terminal), /^--data: is not JSON/],
    ['a part that is no object', () => readParts([], { part: ['[]'] }, terminal), /^--part: must be a JSON object$/],
  ]
  for (const [name, read, message] of refused) {
    test(`refuses ${name}`, async () => {
      await expect(read()).rejects.toMatchObject({ exitCode: 2, message })
    })
  }
})

test('media types follow from names, and back', () => {
  expect(['a.md', 'a.PNG', 'a', 'a.constructor', '.json'].map(mediaTypeOf)).toEqual([
    'text/markdown',
    'image/png',
    'application/octet-stream',
    'application/octet-stream',
    'application/json',
  ])
  expect(['text/plain; charset=utf-8', 'image/jpeg', undefined].map(extensionOf)).toEqual(['.txt', '.jpg', '.bin'])
})
