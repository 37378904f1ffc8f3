/** Texts for people about a database that cannot be written; the texts of SQLite by which they are known. */
const troubles: readonly (readonly [pattern: RegExp, text: string])[] = [
  [/database or disk is full/i, 'the disk is full. Free some space'],
  [
    /readonly database|read-only/i,
    'the database file is read-only. Give this process write access to the file and its folder',
  ],
  [/disk i\/o error/i, 'the disk reports an error. Check the disk and the mount of the database file'],
  [/malformed|not a database/i, 'the database file is damaged. Restore it from a backup'],
  [/locked|busy/i, 'another process has kept the database locked. Try again'],
  [/unable to open/i, 'the database file cannot be opened. Check the path and its permissions'],
]

function trouble(error: unknown): string | undefined {
  const { message } = error as Error
  return troubles.find(([pattern]) => pattern.test(message))?.[1]
}

/** Whether an error of SQLite concerns the file, so that a smaller commit would meet it too. */
export function breaksFile(error: unknown): boolean {
  return trouble(error) !== undefined
}

/** What to tell of a failed write: nothing in it gives the path away. */
export function writeFailure(error: unknown): string {
  return `The task store cannot write: ${trouble(error) ?? (error as Error).message}`
}
