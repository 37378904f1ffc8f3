// A PostgreSQL of the tests' own: found, or installed where that is possible, and started in a temporary folder.
//   node scripts/postgres.mjs install          installs Debian's package when no PostgreSQL is there (as root)
//   node scripts/postgres.mjs run -- COMMAND   runs a command with PARLANCE_TEST_POSTGRES set
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

const asRoot = process.getuid?.() === 0

/** The folder of PostgreSQL's programs, the newest one; undefined when there is none. */
export function findPostgres() {
  const debian = '/usr/lib/postgresql'
  const versions = existsSync(debian) ? readdirSync(debian).sort((one, other) => Number(other) - Number(one)) : []
  const folders = [
    process.env.PARLANCE_POSTGRES_BIN,
    ...versions.map((version) => join(debian, version, 'bin')),
    ...(process.env.PATH ?? '').split(':'),
  ]
  return folders.find((folder) => folder && existsSync(join(folder, 'initdb')) && existsSync(join(folder, 'pg_ctl')))
}

/** Installs Debian's package, without the server that it would start; tells whether PostgreSQL is there now. */
export function installPostgres() {
  if (findPostgres() !== undefined) return true
  if (!asRoot || !existsSync('/usr/bin/apt-get')) return false
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  const apt = (...args) =>
    spawnSync('apt-get', ['-q', '-o', 'Dpkg::Use-Pty=0', ...args], { env, stdio: ['ignore', 2, 2] })
  apt('update')
  apt('install', '-y', '--no-install-recommends', 'postgresql-common')
  // The tests make a server of their own.
  spawnSync('sed', [
    '-i',
    's/^#\\?create_main_cluster.*/create_main_cluster = false/',
    '/etc/postgresql-common/createcluster.conf',
  ])
  apt('install', '-y', '--no-install-recommends', 'postgresql')
  return findPostgres() !== undefined
}

/** The user that PostgreSQL runs as: it refuses to be root. */
function serverUser() {
  if (!asRoot) return {}
  for (const name of ['postgres', 'nobody']) {
    const [uid, gid] = ['-u', '-g'].map((flag) => Number(spawnSync('id', [flag, name], { encoding: 'utf8' }).stdout))
    if (uid > 0) return { uid, gid }
  }
  throw new Error('PostgreSQL cannot run as root, and there is no user postgres or nobody')
}

/** Numbers of the processes that a process has started. */
function childrenOf(parent) {
  return readdirSync('/proc')
    .map(Number)
    .filter((pid) => {
      if (!(pid > 0)) return false
      try {
        const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
        return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]) === parent
      } catch {
        return false
      }
    })
}

/** A port of this machine that nobody listens on. */
export async function freePort() {
  const server = createServer()
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address()
  await new Promise((resolve) => server.close(resolve))
  return port
}

/**
 * Starts a server that only this machine reaches and that goes away with its folder. `sync: false` leaves out fsync, which no test of ours
 * can tell from the real thing unless the machine itself stops.
 */
export async function startPostgres({ sync = false, port } = {}) {
  const bin = findPostgres()
  if (bin === undefined) throw new Error('no PostgreSQL is there: run node scripts/postgres.mjs install')
  const user = serverUser()
  const folder = mkdtempSync(join(tmpdir(), 'parlance-postgres-'))
  if (user.uid !== undefined) chownSync(folder, user.uid, user.gid)
  const data = join(folder, 'data')
  const run = (program, args) => {
    const { status, stderr, stdout } = spawnSync(join(bin, program), args, { ...user, cwd: folder, encoding: 'utf8' })
    if (status !== 0) throw new Error(`${program} failed: ${stderr || stdout}`)
  }
  run('initdb', ['-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--locale=C.UTF-8', '--no-sync'])
  const number = port ?? (await freePort())
  const settings = [
    `-p ${number}`,
    `-k ${folder}`,
    '-c listen_addresses=127.0.0.1',
    '-c max_connections=200',
    '-c shared_buffers=128MB',
    ...(sync ? [] : ['-c fsync=off', '-c synchronous_commit=on', '-c full_page_writes=off']),
  ]
  const orders = {
    start: ['-D', data, '-w', '-t', '60', '-o', settings.join(' '), '-l', join(folder, 'log'), 'start'],
    halt: ['-D', data, '-w', '-t', '60', '-m', 'immediate', 'stop'],
  }
  /** Gives an order without keeping this process from its work meanwhile. */
  const control = async (order) => {
    const options = { ...user, cwd: folder, stdio: 'ignore' }
    const [code] = await once(spawn(join(bin, 'pg_ctl'), orders[order], options), 'exit')
    if (code !== 0)
      throw new Error(`pg_ctl could not ${order} the server: ${readFileSync(join(folder, 'log'), 'utf8')}`)
  }
  await control('start')
  const client = (sql) =>
    run('psql', ['-h', folder, '-p', String(number), '-U', 'postgres', '-q', '-v', 'ON_ERROR_STOP=1', '-c', sql])
  client('create role parlance login')
  client('create database parlance owner parlance')
  /** All its processes: a child each connection. */
  const signal = (name) => {
    const master = Number(readFileSync(join(data, 'postmaster.pid'), 'utf8').split('\n')[0])
    if (!(master > 1)) return
    for (const pid of [master, ...childrenOf(master)]) {
      try {
        process.kill(pid, name)
      } catch {
        // It has ended meanwhile.
      }
    }
  }
  let stopped = false
  return {
    port: number,
    url: `postgres://parlance@127.0.0.1:${number}/parlance`,
    pause: () => signal('SIGSTOP'),
    resume: () => signal('SIGCONT'),
    /** Ends it as a power cut would, and starts it again. */
    async crash() {
      await control('halt')
      await control('start')
    },
    halt: () => control('halt'),
    start: () => control('start'),
    stop() {
      if (stopped) return
      stopped = true
      try {
        signal('SIGCONT')
        run('pg_ctl', orders.halt)
      } catch {
        // It is down already.
      }
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

async function main([command, ...rest]) {
  if (command === 'install') return installPostgres() ? 0 : 1
  if (command !== 'run' || rest[0] !== '--' || rest.length < 2) {
    process.stderr.write('usage: node scripts/postgres.mjs install | run -- COMMAND\n')
    return 2
  }
  const server = await startPostgres()
  try {
    const child = spawn(rest[1], rest.slice(2), {
      stdio: 'inherit',
      env: { ...process.env, PARLANCE_TEST_POSTGRES: server.url },
    })
    for (const name of ['SIGINT', 'SIGTERM']) process.on(name, () => child.kill(name))
    return await new Promise((resolve) => child.on('exit', (code) => resolve(code ?? 1)))
  } finally {
    server.stop()
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) process.exitCode = await main(process.argv.slice(2))
