import pg from 'pg'

/** The database that tests may use, when there is one. */
export const testDatabase: string | undefined = process.env.PARLANCE_TEST_POSTGRES

let made = 0

/** The URL of an empty schema of the test's own, and how to get rid of it. */
export function freshSchema(): { readonly url: string; readonly schema: string; drop(): Promise<void> } {
  const schema = `test_${process.pid}_${++made}`
  const url = new URL(testDatabase ?? '')
  url.searchParams.set('schema', schema)
  return { url: url.href, schema, drop: () => runSql(`drop schema if exists "${schema}" cascade`).then(() => {}) }
}

/** Runs SQL on the test's database, besides all stores. */
export async function runSql(text: string): Promise<readonly Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: testDatabase })
  await client.connect()
  try {
    return (await client.query<Record<string, unknown>>(text)).rows
  } finally {
    await client.end()
  }
}
