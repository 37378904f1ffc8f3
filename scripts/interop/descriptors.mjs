#!/usr/bin/env node
// Compares our descriptors field by field with those inside the published Python packages (name, number, type, presence,
// REQUIRED, methods). Needs Python 3.10 or newer, and PyPI the first time; exits with 1 when they differ.
//   node scripts/interop/descriptors.mjs [--v1 SITE_PACKAGES] [--v0-3 SITE_PACKAGES] [--python PATH]
// Without a folder of packages, each version gets a virtual environment in $PARLANCE_PEERS (~/.cache/parlance-peers).
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { compareFiles } from '../proto/compare.mjs'
import { readDescriptorSet } from '../proto/descriptor-set.mjs'
import { parseProto } from '../proto/parse.mjs'

const { values: options } = parseArgs({
  options: {
    v1: { type: 'string' },
    'v0-3': { type: 'string' },
    python: { type: 'string', default: 'python3' },
  },
})
const peers = process.env.PARLANCE_PEERS ?? join(homedir(), '.cache', 'parlance-peers')
const root = join(import.meta.dirname, '..', '..')

/** What is compared: a proto of ours with a module of a package. The second row is what 1.x speaks to 0.3 with. */
const rows = [
  { proto: 'spec/a2a.proto', module: 'a2a.types.a2a_pb2', from: 'v1' },
  { proto: 'spec/a2a-v0.3.proto', module: 'a2a.compat.v0_3.a2a_v0_3_pb2', from: 'v1' },
  { proto: 'spec/a2a-v0.3.proto', module: 'a2a.grpc.a2a_pb2', from: 'v0-3' },
]
const environments = {
  v1: { folder: 'python-1', requirement: 'a2a-sdk[all]>=1,<2' },
  'v0-3': { folder: 'python-03', requirement: 'a2a-sdk[all]>=0.3,<0.4' },
}

// Prints the version of the package, and the file's descriptor as a FileDescriptorSet in base64.
const extract = `
import base64, importlib, importlib.metadata, sys
from google.protobuf import descriptor_pb2
descriptors = descriptor_pb2.FileDescriptorSet()
importlib.import_module(sys.argv[1]).DESCRIPTOR.CopyToProto(descriptors.file.add())
print(importlib.metadata.version("a2a-sdk"))
print(base64.b64encode(descriptors.SerializeToString()).decode())
`

function run(command, rest, env = process.env) {
  return execFileSync(command, rest, {
    encoding: 'utf8',
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
    maxBuffer: 2 ** 26,
  })
}

/** The Python that has the package of one version, made when it is not there yet. */
function pythonFor(version) {
  if (options[version] !== undefined) return [options.python, { ...process.env, PYTHONPATH: options[version] }]
  const { folder, requirement } = environments[version]
  const venv = join(peers, folder, 'venv')
  const python = join(venv, process.platform === 'win32' ? 'Scripts/python.exe' : 'bin/python')
  if (!existsSync(python)) {
    mkdirSync(join(peers, folder), { recursive: true })
    run(options.python, ['-m', 'venv', venv])
    run(python, ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', requirement])
  }
  return [python, process.env]
}

let differences = 0
for (const { proto, module, from } of rows) {
  const [python, env] = pythonFor(from)
  const [version, text] = run(python, ['-c', extract, module], env).split('\n')
  const ours = parseProto(readFileSync(join(root, proto), 'utf8'), proto)
  const found = compareFiles(ours, readDescriptorSet(Buffer.from(text, 'base64')))
  for (const line of found) console.log(line)
  differences += found.length
  const verdict = found.length === 0 ? 'agree' : `differ in ${found.length}`
  console.log(`${proto} and ${module} of a2a-sdk ${version} ${verdict}`)
}
process.exitCode = differences === 0 ? 0 : 1
