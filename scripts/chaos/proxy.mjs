// TCP between two sides, with the troubles that networks have.
import { connect, createServer } from 'node:net'

/** Listens on a free port and passes connections on to where `target()` says, as long as nothing is wrong. */
export async function startProxy(target) {
  const pairs = new Set()
  let down = false
  let frozen = false
  let delay = 0

  const server = createServer({ pauseOnConnect: true }, (near) => {
    const place = down ? undefined : target()
    if (place === undefined) return void near.destroy()
    const far = connect(place)
    const pair = { near, far }
    pairs.add(pair)
    const close = () => {
      pairs.delete(pair)
      near.destroy()
      far.destroy()
    }
    for (const socket of [near, far]) {
      socket.setNoDelay(true)
      socket.on('error', close)
      socket.on('close', close)
    }
    const pass = (from, to) => {
      from.on('data', (bytes) => {
        if (delay === 0) {
          if (!to.write(bytes)) from.pause()
        } else setTimeout(() => !to.destroyed && to.write(bytes), delay)
      })
      to.on('drain', () => !frozen && from.resume())
      from.on('end', () => to.end())
    }
    pass(near, far)
    pass(far, near)
    if (!frozen) near.resume()
    else far.pause()
  })
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))

  const each = (work) => {
    for (const { near, far } of pairs) for (const socket of [near, far]) work(socket)
  }
  return {
    port: server.address().port,
    /** Cuts what is connected. */
    cut: () => each((socket) => socket.destroy()),
    /** Cuts, and refuses new connections until it is up again. */
    down() {
      down = true
      each((socket) => socket.destroy())
    },
    up() {
      down = false
    },
    /** Lets nothing through, without a word to either side. */
    freeze() {
      frozen = true
      each((socket) => socket.pause())
    },
    thaw() {
      frozen = false
      each((socket) => socket.resume())
    },
    /** Each piece is so many milliseconds late. */
    slow(ms) {
      delay = ms
    },
    close() {
      server.close()
      each((socket) => socket.destroy())
    },
  }
}
