// The nodes: processes that are started, killed, stopped and started again, each with a line of its own to the database.
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '../postgres.mjs'
import { startProxy } from './proxy.mjs'

/** What a node ends with that could not start because the database is away. */
const notNow = 75

/** Starts a node, and tells how to treat it badly. `database` is the port of PostgreSQL; a SQLite file has none. */
export async function startNode(name, settings, { database, history, onLog }) {
  const line = database === undefined ? undefined : await startProxy(() => ({ host: '127.0.0.1', port: database }))
  const store = line === undefined ? settings.store : settings.store.replace(/:\d+\//, `:${line.port}/`)
  const port = await freePort()
  /** Processes that end because they were told to. */
  const dying = new WeakSet()
  let child
  let address

  const node = {
    name,
    line,
    get address() {
      return address
    },
    /** Tells whether it came up; it does not while the database is away. */
    async start() {
      const own = fork(
        join(import.meta.dirname, 'serve.mjs'),
        [JSON.stringify({ ...settings, store, port, node: name })],
        {
          stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
        },
      )
      child = own
      const up = await new Promise((resolve) => {
        own.on('message', ({ log, listening }) => {
          if (log !== undefined) onLog(`${name}: ${log}`)
          if (listening !== undefined) resolve(true)
        })
        own.once('exit', (code, signal) => {
          if (child === own) address = undefined
          if (!dying.has(own) && code !== notNow) history.record({ kind: 'crash', node: name, code, signal })
          resolve(false)
        })
      })
      address = up ? { host: '127.0.0.1', port } : undefined
      return up
    },
    async startIfDown() {
      while (address === undefined && !(await node.start())) await sleep(300)
    },
    async kill(signal = 'SIGKILL') {
      const victim = child
      dying.add(victim)
      if (signal === 'SIGKILL') address = undefined
      if (victim.exitCode === null && victim.signalCode === null) {
        const gone = once(victim, 'exit')
        victim.kill(signal)
        // One that does not end by itself shows in the history: its tasks are taken over late.
        const timer = setTimeout(() => victim.kill('SIGKILL'), 15_000)
        const from = Date.now()
        await gone
        clearTimeout(timer)
        if (signal === 'SIGTERM') history.record({ kind: 'drain', node: name, from, to: Date.now() })
      }
      address = undefined
    },
    /** Stops the process for a while, as a long pause of its machine would. */
    async sleep(ms) {
      const own = child
      const from = Date.now()
      own.kill('SIGSTOP')
      await sleep(ms)
      const to = Date.now()
      own.kill('SIGCONT')
      history.record({ kind: 'trouble', node: name, from, to })
    },
    /** For when this process ends: nothing of the node stays, stopped or not. */
    killNow: () => child?.kill('SIGKILL'),
    close() {
      line?.close()
      return node.kill()
    },
  }
  return node
}
