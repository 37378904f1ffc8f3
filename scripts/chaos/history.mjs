// What the clients did and were told, in the order in which it happened to them, as lines of JSON in a file.
import { closeSync, createReadStream, openSync, writeSync } from 'node:fs'
import { createInterface } from 'node:readline'

/** Opens a history; `record` adds an entry. Entries are gathered and written together. */
export function createHistory(path) {
  const file = openSync(path, 'w')
  let lines = []
  let size = 0
  const write = () => {
    if (lines.length > 0) writeSync(file, lines.join(''))
    lines = []
    size = 0
  }
  return {
    path,
    count: 0,
    record(entry) {
      this.count += 1
      const line = `${JSON.stringify({ at: Date.now(), ...entry })}\n`
      lines.push(line)
      size += line.length
      if (size > 256 * 1024) write()
    },
    close() {
      write()
      closeSync(file)
    },
  }
}

/** The entries of a history, or the lines of a journal, one after the other. A line that a kill cut in two is left out. */
export async function* readLines(path) {
  for await (const line of createInterface({ input: createReadStream(path), crlfDelay: Number.POSITIVE_INFINITY })) {
    let entry
    try {
      entry = JSON.parse(line)
    } catch {
      continue
    }
    yield entry
  }
}
