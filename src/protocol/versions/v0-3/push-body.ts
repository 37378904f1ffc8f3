import type { StreamResponse, Task } from '../../generated/v1/types.ts'
import type { Note } from '../dialect.ts'
import { writeTask } from './write.ts'

/**
 * What a webhook of 0.3 gets: the whole task as it is after an event, in the JSON form, whichever binding the webhook
 * was set up over.
 */
export function pushBody03(task: Task, event: StreamResponse, note: Note = () => {}): object {
  return writeTask(event.task ?? task, { form: 'json', note })
}
