import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'

/** Starts a server in a process of its own; resolves once it listens. `complaints` gets what it logs as errors. */
export async function startServer(slot, settings, complaints) {
  const child = fork(join(import.meta.dirname, 'serve.mjs'), [JSON.stringify(settings)], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  child.on('message', ({ complaint }) => {
    if (complaint !== undefined) complaints.push(`${slot}: ${complaint}`)
  })
  const url = await new Promise((resolve, reject) => {
    child.on('message', (message) => message.url !== undefined && resolve(message.url))
    child.once('exit', (code) => reject(new Error(`the server ${slot} did not start, but ended with ${code}`)))
  })
  const server = {
    slot,
    url,
    agent: settings.agent,
    /** Set before the signal is sent, so that whoever loses a connection knows why. */
    killed: false,
    async kill() {
      server.killed = true
      const gone = once(child, 'exit')
      child.kill('SIGKILL')
      await gone
    },
  }
  return server
}
