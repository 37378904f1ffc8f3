#!/usr/bin/env node
// Writes src/bindings/grpc/generated/descriptors.ts: what server reflection tells of every service and of what they import.
//   node scripts/proto/descriptor-write.mjs           write
//   node scripts/proto/descriptor-write.mjs --check   exit 1 when the file differs from what would be written
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { toBinary } from '@bufbuild/protobuf'
import { FileDescriptorProtoSchema } from '@bufbuild/protobuf/wkt'
import { fileDescriptor, symbolsOf } from './descriptor.mjs'
import { importedFiles } from './descriptor-imports.mjs'

const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..')
const target = 'src/bindings/grpc/generated/descriptors.ts'
const sources = [
  { proto: 'spec/a2a.proto', name: 'a2a.proto' },
  { proto: 'spec/a2a-v0.3.proto', name: 'a2a-v0.3.proto' },
]

/** The text of the generated file. */
export function descriptorsText() {
  const own = sources.map(({ proto, name }) => fileDescriptor(readFileSync(join(root, proto), 'utf8'), name))
  const files = [...own, ...importedFiles].map((file) => {
    const bytes = Buffer.from(toBinary(FileDescriptorProtoSchema, file)).toString('base64')
    return [
      '  {',
      `    name: ${quote(file.name)},`,
      `    imports: [${file.dependency.map(quote).join(', ')}],`,
      `    symbols: [${symbolsOf(file).map(quote).join(', ')}],`,
      `    bytes: ${quote(bytes)},`,
      '  },',
    ].join('\n')
  })
  return `// biome-ignore-all format: generated
// Written by scripts/proto/descriptor-write.mjs from spec/*.proto. Do not edit.

import type { DescribedFile } from '../described-file.ts'

/** Every file that reflection can show. */
export const files: readonly DescribedFile[] = [
${files.join('\n')}
]
`
}

function quote(text) {
  return `'${text}'`
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const path = join(root, target)
  const text = descriptorsText()
  if (process.argv.includes('--check')) {
    let found = ''
    try {
      found = readFileSync(path, 'utf8')
    } catch {
      // A missing file differs too.
    }
    if (found !== text) {
      console.error(`${target} is not what the protos give; run: node scripts/proto/descriptor-write.mjs`)
      process.exitCode = 1
    }
  } else {
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, text)
    console.log(`wrote ${target}`)
  }
}
