// A client that is the library itself: it comes back by its own means, and must have put every task together as it is stored.
import { setTimeout as sleep } from 'node:timers/promises'
import { kinds } from './behaviour.mjs'
import { fold } from './fold.mjs'
import { between, weighed } from './random.mjs'

/** Runs until it is `stopped()`. What the client saw of a task up to its end becomes a view in the history. */
export async function runLibraryClient({ library, url, history, random, name, stopped }) {
  const lone = (input, init = {}) => {
    const headers = new Headers(init.headers)
    headers.set('connection', 'close')
    return fetch(input, { ...init, headers })
  }
  let agent
  let messages = 0
  while (!stopped()) {
    try {
      agent ??= await library.connect(url, { fetch: lone, retry: { calls: 5, reconnects: 30, base: 100, cap: 1_000 } })
      const kind = weighed(random, { slow: 3, long: 2, quick: 1 })
      const text = `${kind} ${between(random, ...kinds[kind])}`
      const message = { messageId: `${name}-${++messages}`, parts: [{ text }] }
      history.record({ kind: 'call', call: `${name}-${messages}`, what: 'stream', message })
      let task
      for await (const event of agent.stream(message)) task = event.task ?? fold(task, event)
      history.record({ kind: 'view', task })
    } catch (error) {
      history.record({ kind: 'cut', call: `${name}-${messages}`, why: String(error.message ?? error) })
      await sleep(200)
    }
  }
}
