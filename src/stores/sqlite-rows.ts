import type { Connection, SqliteValue } from './sqlite-driver.ts'
import { counterSpans } from './task-rows.ts'

const sizes = [64, 16, 4, 1]
const statements = new Map<string, string[]>()

/** Inserts rows given one after the other as flat values, many with each statement. `tail` ends the SQL, such as an upsert clause. */
export function insertRows(
  connection: Connection,
  columns: string,
  { values, tail = '' }: { readonly values: readonly SqliteValue[]; readonly tail?: string },
): void {
  const width = columns.split(',').length
  let from = 0
  let texts = statements.get(columns)
  if (texts === undefined) {
    const row = `(${Array.from({ length: width }, () => '?').join(', ')})`
    texts = sizes.map((size) => `insert into ${columns} values ${Array(size).fill(row).join(', ')} ${tail}`)
    statements.set(columns, texts)
  }
  sizes.forEach((size, index) => {
    const step = size * width
    while (values.length - from >= step) {
      connection.statement(texts[index]!).run(...values.slice(from, from + step))
      from += step
    }
  })
}

/** How numbers of tasks change in one commit, by scope, state and time of the status. */
export class CounterSums {
  readonly #sums = new Map<string, { scope: number; minute: number; state: number; by: number }>()

  add(scope: number, by: 1 | -1, { state, time }: { readonly state: number; readonly time: number }): void {
    const minute = Math.floor(time / 60_000)
    const key = `${scope},${minute},${state}`
    const sum = this.#sums.get(key)
    if (sum === undefined) this.#sums.set(key, { scope, minute, state, by })
    else sum.by += by
  }

  write(connection: Connection): void {
    const totals = new Map<string, [scope: number, span: number, bucket: number, state: number, by: number]>()
    for (const { scope, minute, state, by } of this.#sums.values()) {
      if (by === 0) continue
      for (let span = 0; span < counterSpans.length; span++) {
        const bucket = bucketOf(minute * 60_000, span)
        const key = `${scope},${span},${bucket},${state}`
        const total = totals.get(key)
        if (total === undefined) totals.set(key, [scope, span, bucket, state, by])
        else total[4] += by
      }
    }
    const rows = [...totals.values()].filter((row) => row[4] !== 0)
    insertRows(connection, 'counter (scope, span, bucket, state, number)', {
      values: rows.flat(),
      tail: 'on conflict (scope, span, bucket, state) do update set number = number + excluded.number',
    })
    for (const row of rows) {
      if (row[4] > 0) continue
      connection
        .statement('delete from counter where scope = ? and span = ? and bucket = ? and state = ? and number <= 0')
        .run(row[0], row[1], row[2], row[3])
    }
  }
}

/** The bucket of a time in a span; all times share bucket 0 of the widest span. */
export function bucketOf(time: number, span: number): number {
  return Math.floor(time / counterSpans[span]!)
}
