import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

/** One call by JSON-RPC; its result. */
export async function call({ port, path }, method, params) {
  const response = await fetch(`http://127.0.0.1:${port}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'a2a-version': '1.0' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  })
  const { result, error } = await response.json()
  if (error !== undefined) throw new Error(`${method}: ${error.message}`)
  return result
}

/** Begins tasks whose run waits, or does as the text of the message says; their ids. */
export async function beginTasks(server, count, text = 'hold') {
  const ids = []
  for (let index = 0; index < count; index++) {
    const message = { messageId: `hold-${index}`, role: 'ROLE_USER', parts: [{ text }] }
    const { task } = await call(server, 'SendMessage', { message, configuration: { returnImmediately: true } })
    ids.push(task.id)
  }
  return ids
}

/** Opens streams from a process of their own. */
export async function openStreams({ port, path }, count, ids = []) {
  const child = fork(join(import.meta.dirname, 'idle-load.mjs'), [JSON.stringify([port, path, count, ids])], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  const [answer] = await Promise.race([once(child, 'message'), once(child, 'exit').then(() => [{}])])
  if (answer.open !== count) throw new Error('not all streams are open')
  return {
    events: answer.events,
    /** Resolves when all streams together have had so many events. */
    async until(events) {
      const had = once(child, 'message')
      child.send({ events })
      await had
    },
    async close() {
      const gone = once(child, 'exit')
      child.disconnect()
      await gone
    },
  }
}

/** Bytes that each of many idle streams costs a server: in its heap and buffers, and in memory as the machine sees it. */
export async function memoryOfStreams(server, count, ids) {
  // The first ones make what all share.
  const warm = await openStreams(server, 200, ids)
  await sleep(500)
  const before = await server.usage()
  const streams = await openStreams(server, count, ids)
  await sleep(1_500)
  const after = await server.usage()
  await streams.close()
  await warm.close()
  return { heap: (after.heap - before.heap) / count, resident: (after.memory - before.memory) / count }
}
