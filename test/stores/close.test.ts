import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { temporaryFolder } from '../harness.ts'

const run = promisify(execFile)

it('a program that ends with closing its store ends well', async () => {
  const path = join(await temporaryFolder(), 'close.db')
  const program = `
    import { openSqliteStore } from ${JSON.stringify(new URL('../../dist/stores/sqlite.js', import.meta.url).href)}
    const store = await openSqliteStore({ path: ${JSON.stringify(path)} })
    await store.close()
    console.log('closed')`
  const { stdout } = await run(process.execPath, ['--input-type=module', '-e', program])
  expect(stdout).toBe('closed\n')
})
