import type { Ids } from './calls.ts'
import type { Random } from './random.ts'

/** The tasks that the server has, seen from outside. */
export interface Pool {
  idsFor(random: Random, round: number): Ids
  /** Looks up which tasks there are now. */
  refresh(): Promise<void>
  /** Ids of a new task that waits for input. */
  openTask(): Promise<Ids>
  /** Cancels what is open, and waits until the server has dropped all tasks. */
  empty(): Promise<void>
}

interface Known {
  readonly id: string
  readonly contextId: string
  readonly status: { readonly state: string }
}

const open = ['TASK_STATE_SUBMITTED', 'TASK_STATE_WORKING', 'TASK_STATE_INPUT_REQUIRED', 'TASK_STATE_AUTH_REQUIRED']
const headers = { 'content-type': 'application/json', 'a2a-version': '1.0' }

export function createPool(port: number): Pool {
  const base = `http://127.0.0.1:${port}`
  let known: readonly Known[] = []
  let made = 0

  async function list(tenant: string, query = ''): Promise<{ tasks: readonly Known[]; totalSize: number }> {
    const response = await fetch(`${base}${tenant}/tasks?pageSize=100${query}`, { headers })
    return (await response.json()) as { tasks: readonly Known[]; totalSize: number }
  }

  async function cancelOpen(tenant: string): Promise<void> {
    for (const state of open) {
      const { tasks } = await list(tenant, `&status=${state}`)
      for (const { id } of tasks)
        await fetch(`${base}${tenant}/tasks/${id}:cancel`, { method: 'POST', headers, body: '{}' })
    }
  }

  return {
    idsFor: (random, round) => ({
      task: () => (known.length === 0 || random.percent(15) ? `no-task-${round}` : random.pick(known).id),
      context: () => (known.length === 0 || random.percent(30) ? `no-context-${round}` : random.pick(known).contextId),
      fresh: () => `message-${round}`,
    }),
    refresh: async () => {
      known = (await list('')).tasks
    },
    openTask: async () => {
      const message = { messageId: `open-${made++}`, role: 'ROLE_USER', parts: [{ text: 'ask' }] }
      const response = await fetch(`${base}/message:send`, {
        method: 'POST',
        headers,
        body: JSON.stringify({ message }),
      })
      const { task } = (await response.json()) as { task: Known }
      return { task: () => task.id, context: () => task.contextId, fresh: () => `open-${made++}` }
    },
    empty: async () => {
      const deadline = Date.now() + 20_000
      for (const tenant of ['', '/acme']) {
        while ((await list(tenant)).totalSize > 0) {
          if (Date.now() > deadline) throw new Error('the server keeps tasks that have ended long ago')
          await cancelOpen(tenant)
          await new Promise((resolve) => setTimeout(resolve, 100))
        }
      }
      known = []
    },
  }
}
