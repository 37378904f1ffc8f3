import { test } from 'vitest'
import { join } from 'node:path'
import { acrobat, serving, temporaryFolder, endAll } from '/work/main/test/cli/kit.ts'
const delay = (ms: number) => new Promise((r) => setTimeout(r, ms))
test('x', { timeout: 30000 }, async () => {
  const store = join(temporaryFolder(), 'tasks.db')
  const server = await serving([acrobat, '-s', store, '--workers', '2', '--grace', '1h'])
  while (server.err().split('\n').length < 3) await delay(20)
  const r = await fetch(`${server.url}/invoke`, { method: 'POST', headers: { 'content-type': 'application/json', 'a2a-version': '1.0', connection: 'close' }, body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'SendMessage', params: { message: { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'count 100000 50' }] }, configuration: { returnImmediately: true } } }) })
  console.log((await r.text()).slice(0, 100))
  server.child.kill('SIGTERM')
  for (let i = 0; i < 50; i++) { const t = Date.now(); const s = await Promise.race([fetch(`${server.url}/readyz`).then(async (x) => x.status + await x.text(), (e) => 'failed ' + e.cause?.code), delay(2000).then(() => 'HANG')]); console.log(s, Date.now() - t); if (!String(s).startsWith('200')) break }
  server.child.kill('SIGTERM')
  console.log(await Promise.race([server.ended, delay(3000).then(() => 'not ended')]), server.err())
  await endAll()
})
