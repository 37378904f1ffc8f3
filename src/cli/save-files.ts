import { constants } from 'node:fs'
import { mkdir, open } from 'node:fs/promises'
import { join } from 'node:path'
import type { ResultFile } from '../client/content.ts'
import { usageError } from './command-error.ts'
import { extensionOf } from './media-types.ts'
import { cleanLine } from './terminal-text.ts'

const reserved = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i
const longest = 180

/**
 * A name for a file of an answer that is safe in any folder: the last segment of what the agent said, without characters
 * that mean something to a shell, a file system or a terminal. Made up where nothing is left.
 */
export function safeName(file: Pick<ResultFile, 'filename' | 'mediaType'>, number: number): string {
  const last = (file.filename ?? '').split(/[/\\]/).at(-1) ?? ''
  const plain = cleanLine(last)
    .replaceAll(/[<>:"|?*]/g, '_')
    .replace(/^[.\s-]+/, '')
    .replace(/[.\s]+$/, '')
  if (plain === '') return `file-${number}${extensionOf(file.mediaType)}`
  const named = reserved.test(plain) ? `_${plain}` : plain
  if (Buffer.byteLength(named) <= longest) return named
  const extension = /\.[^.]{1,16}$/.exec(named)?.[0] ?? ''
  let stem = named.slice(0, named.length - extension.length)
  while (Buffer.byteLength(stem + extension) > longest) stem = [...stem].slice(0, -1).join('')
  return stem + extension
}

/**
 * Saves the files of an answer that carry their bytes into a folder, which is made, and gives their paths. Never writes
 * outside of the folder and never over a file: a name that is taken gets a number.
 */
export async function saveFiles(files: readonly ResultFile[], folder: string): Promise<string[]> {
  const paths: string[] = []
  try {
    for (const [at, file] of files.entries()) {
      const bytes = file.bytes()
      if (bytes === undefined) continue
      await mkdir(folder, { recursive: true })
      paths.push(await saveNew(folder, { name: safeName(file, at + 1), bytes }))
    }
  } catch (error) {
    throw usageError(`--output: ${(error as Error).message}`, 'name a folder that can be written')
  }
  return paths
}

async function saveNew(
  folder: string,
  { name, bytes }: { readonly name: string; readonly bytes: Uint8Array },
): Promise<string> {
  const [, stem = name, extension = ''] = /^(.+?)(\.[^.]*)?$/.exec(name) ?? []
  for (let number = 0; ; number++) {
    const path = join(folder, number === 0 ? name : `${stem}-${number}${extension}`)
    try {
      // Exclusive creation follows no link, so that nothing that lies in the folder leads out of it.
      const handle = await open(path, constants.O_CREAT | constants.O_EXCL | constants.O_WRONLY, 0o644)
      try {
        await handle.writeFile(bytes)
      } finally {
        await handle.close()
      }
      return path
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST' || number === 1_000) throw error
    }
  }
}
