import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const root = new URL('../../', import.meta.url)

interface PackageFile {
  readonly name: string
  readonly version: string
  readonly exports: Readonly<Record<string, string | { readonly default: string }>>
}

function readPackage(): PackageFile {
  return JSON.parse(readFileSync(new URL('package.json', root), 'utf8')) as PackageFile
}

/** The version of this package. */
export function packageVersion(): string {
  return readPackage().version
}

/** The file that each published subpath of this package stands for, such as `parlance/server`. */
export function packageAliases(): Readonly<Record<string, string>> {
  const { name, exports } = readPackage()
  const aliases: Record<string, string> = {}
  for (const [subpath, target] of Object.entries(exports)) {
    if (typeof target === 'string') continue
    aliases[name + subpath.slice(1)] = fileURLToPath(new URL(target.default, root))
  }
  return aliases
}
