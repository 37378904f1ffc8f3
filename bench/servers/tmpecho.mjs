export async function start({ dist, level }) {
  const { listen } = await import(dist + '/server/listen.js')
  const frame = (i) =>
    `id: ${i}\ndata: {"jsonrpc":"2.0","id":1,"result":{"artifactUpdate":{"taskId":"01a22f0d-8c87-702e-80da-8260113c4859","contextId":"01a22f0d-8c87-702e-80da-8260113c4859","artifact":{"artifactId":"01a22f0d-8c87-702e-80da-8260113c4859","parts":[{"text":"chunk 000000 words "}]},"append":true,"x":"TASK_STATE_COMPLETED"}}}\n\n`
  const all = Array.from({ length: 22 }, (_, i) => frame(i + 1))
  const headers = {
    'content-type': 'text/event-stream',
    'cache-control': 'no-cache, no-transform',
    'x-accel-buffering': 'no',
    'x-content-type-options': 'nosniff',
  }
  const handle =
    level === 'unary'
      ? async (r) => {
          await r.body(1e6)
          return { status: 200, headers, body: all.join('') }
        }
      : level === 'signal'
        ? async (r) => {
            await r.body(1e6)
            r.signal.addEventListener('abort', () => {}, { once: true })
            return {
              status: 200,
              headers,
              body: (async function* () {
                yield all.slice(0, 1).join('')
                yield all.slice(1).join('')
              })(),
            }
          }
        : async (r) => {
            await r.body(1e6)
            return {
              status: 200,
              headers,
              body: (async function* () {
                yield all.slice(0, 1).join('')
                yield all.slice(1).join('')
              })(),
            }
          }
  const l = await listen(
    { kind: 'tcp', host: '127.0.0.1', port: 0 },
    { handle, log: { info() {}, warn() {}, error() {} } },
  )
  return { port: l.port, path: '/invoke' }
}
