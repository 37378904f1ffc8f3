#!/usr/bin/env node
// Writes src/protocol/generated and src/bindings/grpc/generated from spec/*.proto.
//   node scripts/generate.mjs                 write
//   node scripts/generate.mjs --check         exit 1 when a generated file differs from what would be written
//   node scripts/generate.mjs --against FILE  compare with another .proto file or a serialised FileDescriptorSet
//       [--proto spec/a2a-v0.3.proto]         what is compared; spec/a2a.proto unless told otherwise
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { compareFiles } from './proto/compare.mjs'
import { readDescriptorSet } from './proto/descriptor-set.mjs'
import { descriptorsText } from './proto/descriptor-write.mjs'
import { parseProto } from './proto/parse.mjs'
import { writeDescriptions, writeOperations, writeProtoText, writeSchema, writeTypes } from './proto/write.mjs'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
// Each file of the protocol with what is made from it.
const sources = [
  {
    proto: 'spec/a2a.proto',
    folder: 'src/protocol/generated/v1',
    names: ['types', 'schema', 'operations', 'descriptions', 'proto-text'],
  },
  { proto: 'spec/a2a-v0.3.proto', folder: 'src/protocol/generated/v0-3', names: ['schema', 'proto-text'] },
]
const writers = {
  types: ({ file, proto }) => writeTypes(file, proto),
  schema: ({ file, proto }) => writeSchema(file, proto),
  operations: ({ file, proto }) => writeOperations(file, proto),
  descriptions: ({ file, proto }) => writeDescriptions(file, proto),
  'proto-text': ({ text, proto }) => writeProtoText(text, proto),
}

function read(proto) {
  const text = readFileSync(join(root, proto), 'utf8')
  const file = parseProto(text, proto)
  const usesEmpty = file.services.some((service) =>
    service.methods.some((method) => [method.input, method.output].includes('Empty')),
  )
  if (usesEmpty) file.messages.push({ name: 'Empty', comment: 'Nothing: an empty object.', fields: [] })
  return { text, file }
}

function outputs({ proto, folder, names }) {
  const source = { ...read(proto), proto }
  return names.map((name) => ({ path: join(folder, `${name}.ts`), content: writers[name](source) }))
}

function check(files) {
  const stale = files.filter(({ path, content }) => {
    try {
      return readFileSync(join(root, path), 'utf8') !== content
    } catch {
      return true
    }
  })
  for (const { path } of stale) console.error(`${path} is not what the proto gives; run: node scripts/generate.mjs`)
  if (stale.length === 0) console.log(`${files.length} generated files are up to date`)
  return stale.length === 0
}

function against(path, proto) {
  const bytes = readFileSync(path)
  const isText = path.endsWith('.proto')
  const theirs = isText ? parseProto(bytes.toString('utf8'), path) : readDescriptorSet(bytes)
  const ours = parseProto(readFileSync(join(root, proto), 'utf8'), proto)
  const differences = compareFiles(ours, theirs)
  for (const line of differences) console.log(line)
  console.log(
    differences.length === 0
      ? `${proto} and ${path} agree`
      : `${differences.length} ${differences.length === 1 ? 'difference' : 'differences'}`,
  )
  return differences.length === 0
}

const { values } = parseArgs({
  options: {
    check: { type: 'boolean' },
    against: { type: 'string' },
    proto: { type: 'string', default: 'spec/a2a.proto' },
  },
})

if (values.against !== undefined) {
  process.exitCode = against(values.against, values.proto) ? 0 : 1
} else {
  const files = [
    ...sources.flatMap(outputs),
    { path: 'src/bindings/grpc/generated/descriptors.ts', content: descriptorsText() },
  ]
  if (values.check) process.exitCode = check(files) ? 0 : 1
  else {
    for (const { path, content } of files) {
      mkdirSync(dirname(join(root, path)), { recursive: true })
      writeFileSync(join(root, path), content)
    }
    console.log(`wrote ${files.length} files`)
  }
}
