import type { Logger } from '../lib/log.ts'
import type { Note } from '../protocol/versions/dialect.ts'

/** Tells the log once of each thing that an old version could not express, for each operation. */
export function createLossLog(log: Logger, binding: string): (operation: string) => Note {
  const notes = new Map<string, Note>()
  const told = new Set<string>()
  return (operation) => {
    let note = notes.get(operation)
    if (note === undefined) {
      note = (loss) => {
        const key = `${operation} ${loss}`
        if (told.has(key)) return
        told.add(key)
        log.warn('an answer was changed for a caller of an older version', { binding, operation, loss })
      }
      notes.set(operation, note)
    }
    return note
  }
}
