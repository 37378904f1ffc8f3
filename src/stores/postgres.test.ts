import { describe, test } from 'vitest'
import { openPostgresStore } from './postgres.ts'
import { clusterContract, storeContract } from './testing.ts'
import { postgresDatabase } from './testing-databases.ts'
import { freshSchema, testDatabase } from './testing-postgres.ts'

if (testDatabase === undefined) {
  test.skip('postgres keeps the contract of stores: no database (PARLANCE_TEST_POSTGRES)')
} else {
  storeContract(
    'postgres',
    async () => {
      const { url, drop } = freshSchema()
      const open = () => openPostgresStore({ url })
      return { store: await open(), reopen: open, dispose: drop }
    },
    { describe, test },
  )
  clusterContract('postgres', postgresDatabase, { describe, test })
}
