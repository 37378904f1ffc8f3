import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { ResultFile } from '../client/content.ts'
import { safeName, saveFiles } from './save-files.ts'

const names: readonly (readonly [string | undefined, string | undefined, string])[] = [
  ['report.pdf', undefined, 'report.pdf'],
  ['../../etc/passwd', undefined, 'passwd'],
  ['..\\..\\boot.ini', undefined, 'boot.ini'],
  ['/etc/cron.d/job', undefined, 'job'],
  ['..', 'image/png', 'file-1.png'],
  ['a/..', 'text/plain', 'file-1.txt'],
  ['.bashrc', undefined, 'bashrc'],
  ['-rf', undefined, 'rf'],
  ['a\u0000b\n.txt', undefined, 'ab .txt'],
  ['\u001b[31mred.txt', undefined, 'red.txt'],
  ['what? <no>|"yes":*.txt', undefined, 'what_ _no___yes___.txt'],
  ['CON', undefined, '_CON'],
  ['nul.txt', undefined, '_nul.txt'],
  ['dots. . .', undefined, 'dots'],
  [undefined, 'application/pdf', 'file-1.pdf'],
  [undefined, 'application/x-unheard-of', 'file-1.bin'],
  ['', undefined, 'file-1.bin'],
  [`${'ü'.repeat(200)}.txt`, undefined, `${'ü'.repeat(88)}.txt`],
]
describe('safeName', () => {
  for (const [filename, mediaType, expected] of names) {
    test(`of ${JSON.stringify(filename)?.slice(0, 40)} (${mediaType})`, () => {
      const file = { ...(filename !== undefined && { filename }), ...(mediaType !== undefined && { mediaType }) }
      expect(safeName(file, 1)).toBe(expected)
    })
  }
})

function file(filename: string, text: string): ResultFile {
  return { filename, raw: btoa(text), bytes: () => new TextEncoder().encode(text) }
}

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'parlance-save-'))
  onTestFinished(() => rmSync(path, { recursive: true, force: true }))
  return path
}

describe('saveFiles', () => {
  test('writes into the folder and nowhere else, and never over a file', async () => {
    const root = folder()
    const target = join(root, 'made', 'here')
    const paths = await saveFiles([file('../../a.txt', 'one'), file('a.txt', 'two'), file('a.txt', 'three')], target)
    expect(paths).toEqual([join(target, 'a.txt'), join(target, 'a-1.txt'), join(target, 'a-2.txt')])
    expect(paths.map((path) => readFileSync(path, 'utf8'))).toEqual(['one', 'two', 'three'])
    expect(readdirSync(root)).toEqual(['made'])
  })

  test('does not follow a link that lies in the folder', async () => {
    const root = folder()
    const target = folder()
    symlinkSync(join(root, 'outside.txt'), join(target, 'a.txt'))
    expect(await saveFiles([file('a.txt', 'x')], target)).toEqual([join(target, 'a-1.txt')])
    expect(existsSync(join(root, 'outside.txt'))).toBe(false)
  })

  test('leaves out what has only an address', async () => {
    const target = join(folder(), 'none')
    expect(await saveFiles([{ url: 'https://example.test/a.png', bytes: () => undefined }], target)).toEqual([])
    expect(existsSync(target)).toBe(false)
  })

  test('tells when the folder cannot be made', async () => {
    const target = join(folder(), 'file')
    writeFileSync(target, '')
    await expect(saveFiles([file('a.txt', 'x')], target)).rejects.toMatchObject({ exitCode: 2, message: /^--output: / })
  })
})
