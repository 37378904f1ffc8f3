import { connect, type Socket } from 'node:net'
import { afterAll, describe, expect, test } from 'vitest'
import { acrobat, endAll, serving } from '../cli/kit.ts'
import { delay } from '../harness.ts'
import { endHeaders, endStream, frame, frameTypes, headerBlock, requestHeaders } from './http2-frames.ts'

const { data, headers, goaway, settings } = frameTypes

const preface = Buffer.concat([Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'), frame(settings)])
const farewell = frame(goaway, { payload: Buffer.alloc(8) })

function post(stream: number, more: readonly (readonly [string, string])[], flags = endHeaders): Buffer {
  const list = [...requestHeaders('POST', '/invoke'), ...more]
  return frame(headers, { flags, stream, payload: headerBlock(list) })
}

function content(stream: number, length: number): Buffer {
  return frame(data, { flags: endStream, stream, payload: Buffer.alloc(length) })
}

const withoutPath = headerBlock(requestHeaders('POST', '/').filter(([name]) => name !== ':path'))

/** Single packets at which `node:http2` ends the whole process, when it ends a session from within its parser. */
const packets: readonly (readonly [name: string, bytes: Buffer])[] = [
  ['a header in upper case, and a farewell', Buffer.concat([post(1, [['X-Up', '3']]), farewell])],
  [
    'no path, and a farewell',
    Buffer.concat([frame(headers, { flags: endHeaders, stream: 1, payload: withoutPath }), farewell]),
  ],
  [
    'a length without a body, and a farewell',
    Buffer.concat([post(1, [['content-length', '3']], endHeaders | endStream), farewell]),
  ],
  [
    'a body longer than its length, and another request',
    Buffer.concat([post(1, [['content-length', '3']]), content(1, 8), post(5, []), content(5, 20)]),
  ],
]

/** Sends bytes on a connection of its own. */
function send(url: string, bytes: Buffer): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect(Number(new URL(url).port), '127.0.0.1', () => {
      socket.write(bytes)
      resolve(socket)
    })
    socket.on('error', reject)
    socket.resume()
  })
}

afterAll(endAll)

describe.concurrent('a server that is sent', { timeout: 60_000 }, () => {
  test.each(packets)('%s, 300 times over, goes on (SEC-50)', async (_, bytes) => {
    const served = await serving([acrobat, '-s', 'memory'])
    const packet = Buffer.concat([preface, bytes])
    const attack = async (): Promise<void> => {
      for (let times = 0; times < 30; times++) {
        const socket = await send(served.url, packet)
        await delay(3)
        if (times % 2 === 0) socket.destroy()
        else socket.resetAndDestroy()
      }
    }
    await Promise.race([Promise.all(Array.from({ length: 10 }, attack)), served.ended])
    expect((await fetch(`${served.url}/healthz`)).status).toBe(200)
    served.child.kill('SIGTERM')
    expect(await served.ended).toMatchObject({ code: 0, signal: null })
  })
})
