import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Outcome } from './matrix.ts'
import type { Places } from './peers.ts'
import { versions } from './steps.ts'

const run = promisify(execFile)
const protos = { '1.0': 'spec/a2a.proto', '0.3': 'spec/a2a-v0.3.proto' } as const

/** What the outcomes of the comparison are listed under. */
export const descriptorsPeer = 'descriptors of Python a2a-sdk'

/** Compares our descriptors with those in the Python package: name, number, type, presence and REQUIRED of every field. */
export async function compareDescriptors(root: string, { source, cache }: Places): Promise<Outcome[]> {
  const outcomes: Outcome[] = []
  for (const version of versions) {
    const cell = { parlance: 'server', peer: descriptorsPeer, version, binding: 'GRPC' } as const
    const path = join(cache, `descriptors-${version}.bin`)
    try {
      await run(join(cache, 'venv/bin/python'), ['-B', 'descriptors.py', version, path], { cwd: source })
      await run('node', ['scripts/generate.mjs', '--against', path, '--proto', protos[version]], { cwd: root })
      outcomes.push({ cell, step: 'descriptors', kind: 'passed' })
    } catch (error) {
      const { stdout = '', message } = error as Error & { stdout?: string }
      outcomes.push({ cell, step: 'descriptors', kind: 'failed', problem: `${stdout} ${message}`.trim() })
    }
  }
  return outcomes
}
