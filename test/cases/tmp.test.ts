import { it } from 'vitest'
import { delay } from '../harness.ts'
import { frame, frameTypes, http2Connection, request, uint32, endHeaders } from './http2-frames.ts'
import { serve } from './served.ts'
import { callerOf } from './wire.ts'

it('x', async () => {
  const served = await serve()
  for (let round = 0; round < 5; round++) {
    const c = await http2Connection(served.url)
    c.socket.write(Buffer.concat([request(1, 'GET', { path: '/tasks/x', flags: endHeaders }), frame(frameTypes.reset, { stream: 1, payload: uint32(0) })]))
    await delay(30)
    const d = await http2Connection(served.url)
    d.socket.write(request(1, 'GET', { path: '/tasks/x', flags: endHeaders }))
    d.socket.write(frame(frameTypes.reset, { stream: 1, payload: uint32(round) }))
    await delay(30)
  }
  console.log((await callerOf(served, 'JSONRPC').send('done')).status.state)
}, 60000)
