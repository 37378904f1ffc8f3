import { pause } from '../lib/backoff.ts'
import { A2AError } from '../protocol/errors.ts'
import type { Message, Task } from '../protocol/generated/v1/types.ts'
import type { Job } from './jobs.ts'
import type { Live } from './live.ts'
import type { Snapshot } from './store.ts'

/** Messages of a task before those of some jobs, oldest first. Waits for a store that is away, for as long as the task is held. */
export async function historyBefore(live: Live, jobs: readonly Job[]): Promise<readonly Message[]> {
  const snapshot = await patientRead(live)
  if (snapshot === undefined) return []
  const { history = [], status } = JSON.parse(snapshot.text) as Task
  const earlier = withoutNewest(history, jobs)
  return status.message === undefined ? earlier : [...earlier, status.message]
}

/** How long to wait before a store that is away is asked again, milliseconds. */
const pauseBetween = 200

async function patientRead(live: Live): Promise<Snapshot | undefined> {
  for (;;) {
    await live.committed()
    try {
      return await live.core.store.read(live.scope, live.id, { artifacts: false })
    } catch (error) {
      if (live.releasing || !A2AError.is(error) || error.code !== 'Unavailable') throw error
    }
    await pause(pauseBetween)
  }
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
