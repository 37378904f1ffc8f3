import { describe, expect, test } from 'vitest'
import { openPostgresStore } from '../../src/stores/postgres.ts'
import { testDatabase } from '../../src/stores/testing-postgres.ts'

async function refusal(url: string): Promise<{ readonly code?: string; readonly text: string }> {
  try {
    await (await openPostgresStore({ url, patience: 1_000 })).close()
    return { text: 'it opened' }
  } catch (error) {
    const { code, message, stack = '' } = error as Error & { code?: string }
    expect(`${message}\n${stack}`).not.toContain('s3cret')
    return { ...(code !== undefined && { code }), text: message }
  }
}

describe('a database that cannot be used is told with what to do, and never with its password (SEC-67)', () => {
  test('nobody listens', async () => {
    const told = await refusal('postgres://me:s3cret@127.0.0.1:1/x')
    expect(told).toEqual({ code: 'Unavailable', text: expect.stringContaining('does not answer at the moment') })
  })

  test.each(['postgres://me:s3cret@', 'postgres://me:s3cret@h/x?schema=', `postgres://h/x?schema=${'x'.repeat(64)}`])(
    'a URL that is none: %s',
    async (url) => {
      expect((await refusal(url)).text).toMatch(/^store: /)
    },
  )

  test.skipIf(testDatabase === undefined)('there is no such database, or no such user', async () => {
    const base = new URL(testDatabase ?? 'postgres://x')
    base.pathname = '/no_such_database'
    base.password = 's3cret'
    expect((await refusal(base.href)).text).toContain('there is no database of this name. Create it')
    base.username = 'nobody_of_this_name'
    expect((await refusal(base.href)).text).toMatch(/does not let this user in|there is no database/)
  })
})
