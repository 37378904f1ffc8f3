import type { Message, Task } from '../protocol/generated/v1/types.ts'
import type { Job } from './jobs.ts'
import type { Live } from './live.ts'

/** Messages of a task before those of some jobs, oldest first. */
export async function historyBefore(live: Live, jobs: readonly Job[]): Promise<readonly Message[]> {
  const { core, scope, id } = live
  await live.committed()
  const snapshot = await core.store.read(scope, id, { artifacts: false })
  if (snapshot === undefined) return []
  const { history = [], status } = JSON.parse(snapshot.text) as Task
  const earlier = withoutNewest(history, jobs)
  return status.message === undefined ? earlier : [...earlier, status.message]
}

/** A history without the messages of these jobs, each of which is the newest of its id: callers may use an id again. */
function withoutNewest(history: readonly Message[], jobs: readonly Job[]): readonly Message[] {
  const pending = jobs.map(({ message }) => message.messageId)
  const earlier: Message[] = []
  for (const message of history.toReversed()) {
    const at = message.role === 'ROLE_USER' ? pending.indexOf(message.messageId) : -1
    if (at < 0) earlier.push(message)
    else pending.splice(at, 1)
  }
  return earlier.reverse()
}
