import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Binding, bindings, type Version, versions } from './steps.ts'

/** A program as it is started. */
export interface Command {
  readonly command: string
  readonly args: readonly string[]
  readonly folder: string
}

/** A peer whose programs run as processes of their own. */
export interface PeerProgram {
  /** Its folder under `peers` and under the cache. */
  readonly name: string
  readonly title: string
  readonly version: string
  /** What its server and client speak. */
  readonly versions: readonly Version[]
  readonly bindings: readonly Binding[]
  /** Whether its client of 1.0 names no version, which the specification takes for 0.3; a profile has to allow that. */
  readonly namesNoVersion?: true
  /** A command that only works where the peer can be built. */
  readonly toolchain: readonly string[]
  /** Commands that install and build it; `SOURCE` and `CACHE` stand for its folders. */
  readonly install: readonly (readonly string[])[]
  /** How `server …` and `client …` are started. */
  readonly start: (role: 'server' | 'client', places: Places) => Command
}

/** The folders of a peer. */
export interface Places {
  readonly source: string
  readonly cache: string
}

const python = (name: string, version: string, spoken: readonly Version[]): PeerProgram => ({
  name,
  title: 'Python a2a-sdk',
  version,
  versions: spoken,
  bindings,
  toolchain: ['python3', '-c', 'import sys, venv; sys.exit(sys.version_info < (3, 10))'],
  install: [
    ['python3', '-m', 'venv', 'CACHE/venv'],
    [
      'CACHE/venv/bin/pip',
      'install',
      '--quiet',
      '--disable-pip-version-check',
      '--requirement',
      'SOURCE/requirements.txt',
    ],
  ],
  start: (role, { source, cache }) => ({
    command: join(cache, 'venv/bin/python'),
    args: ['-B', `${role}.py`],
    folder: source,
  }),
})

/** The peers that this repository has programs for. */
export const peerPrograms: readonly PeerProgram[] = [
  python('python-1', '1.3.0', versions),
  python('python-03', '0.3.26', ['0.3']),
  {
    name: 'go-2',
    title: 'Go a2a-go',
    version: '2.4.0',
    versions,
    bindings,
    toolchain: ['go', 'version'],
    install: [['go', 'build', '-o', 'CACHE/peer', '.']],
    start: (role, { source, cache }) => ({ command: join(cache, 'peer'), args: [role], folder: source }),
  },
  {
    name: 'rust',
    title: 'Rust a2a-lf (a2a-rs)',
    version: '0.4.2',
    versions: ['1.0'],
    bindings,
    toolchain: ['cargo', '--version'],
    install: [['cargo', 'build', '--quiet', '--target-dir', 'CACHE/target']],
    start: (role, { source, cache }) => ({
      command: join(cache, 'target/debug/interop-peer'),
      args: [role],
      folder: source,
    }),
  },
  {
    name: 'java-1',
    title: 'Java a2a-java',
    version: '1.0.0.Alpha3',
    versions: ['1.0'],
    bindings,
    namesNoVersion: true,
    toolchain: ['mvn', '--version'],
    install: [
      [
        'mvn',
        '-q',
        '-B',
        '-Dbuild.folder=CACHE',
        'package',
        'dependency:copy-dependencies',
        '-DoutputDirectory=CACHE/lib',
      ],
    ],
    start: (role, { source, cache }) => ({
      command: 'java',
      args: ['-cp', `${cache}/classes:${cache}/lib/*`, 'interop.Main', role],
      folder: source,
    }),
  },
]

/** Installs a peer unless it is there already; gives the reason when it cannot be had here. */
export function installPeer(peer: Pick<PeerProgram, 'toolchain' | 'install'>, places: Places): string | undefined {
  const stamp = join(places.cache, 'stamp')
  const wanted = fingerprint(places.source)
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return undefined
  const [tool = '', ...toolArgs] = peer.toolchain
  if (spawnSync(tool, toolArgs, { stdio: 'ignore' }).status !== 0) return `no ${tool} that can build it`
  mkdirSync(places.cache, { recursive: true })
  for (const line of peer.install) {
    const [command = '', ...args] = line.map((word) =>
      word.replaceAll('SOURCE', places.source).replaceAll('CACHE', places.cache),
    )
    const done = spawnSync('nice', ['-n', '10', command, ...args], {
      cwd: places.source,
      encoding: 'utf8',
      timeout: 600_000,
    })
    if (done.status !== 0) {
      const last = `${done.stdout}\n${done.stderr}`.trim().split('\n').slice(-3).join(' ')
      return `\`${line.join(' ')}\` failed: ${last.slice(0, 300)}`
    }
  }
  writeFileSync(stamp, wanted)
  return undefined
}

/** A digest of all that a peer is built from. */
function fingerprint(source: string): string {
  const digest = createHash('sha256')
  const files = readdirSync(source, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.parentPath.includes('__pycache__'))
    .map((entry) => join(entry.parentPath, entry.name))
  for (const file of files.sort()) digest.update(file.slice(source.length)).update(readFileSync(file))
  return digest.digest('hex')
}
