import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'

function script(name) {
  return join(import.meta.dirname, name)
}

/** The next message of a process; rejects when it ends before it has said one. */
function answerOf(child, question) {
  return new Promise((resolve, reject) => {
    const onExit = (code) => settle(() => reject(new Error(`a process of the benchmark ended with ${code}`)))
    const onMessage = (message) =>
      settle(() => (message.error === undefined ? resolve(message) : reject(new Error(message.error))))
    function settle(then) {
      child.off('exit', onExit)
      child.off('message', onMessage)
      then()
    }
    child.once('exit', onExit)
    child.once('message', onMessage)
    if (question !== undefined) child.send(question)
  })
}

/** Starts a server in a process of its own. */
export async function startServer(kind, settings = {}) {
  const child = fork(script('serve.mjs'), [kind, JSON.stringify(settings)], {
    execArgv: settings.execArgv ?? [],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  const { port, path } = await answerOf(child)
  return {
    port,
    path,
    /** CPU time used so far, microseconds, and resident memory, bytes. */
    usage: () => answerOf(child, 'usage'),
    stop: async () => {
      if (child.exitCode !== null || child.signalCode !== null) return
      const gone = once(child, 'exit')
      child.disconnect()
      await gone
    },
    kill: async () => {
      const gone = once(child, 'exit')
      child.kill('SIGKILL')
      await gone
    },
  }
}

/** Starts the process that makes requests. */
export function startLoad() {
  const child = fork(script('load.mjs'), [], { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] })
  return {
    ask: async (asked) => (await answerOf(child, asked)).result,
    stop: () => child.disconnect(),
  }
}

export function median(values) {
  const sorted = [...values].sort((a, b) => a - b)
  const middle = sorted.length >> 1
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
}
