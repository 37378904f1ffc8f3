import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { onCleanup } from '../harness.ts'

/** What stands between two programs, and what it does to what passes. */
export interface ProxyOptions {
  /** Milliseconds of silence after which both sides are cut. */
  readonly idle?: number
  /** Bytes towards the client, told anew for each connection, after which both sides are cut; undefined for none. */
  readonly cutAfter?: () => number | undefined
  /** Holds an answer back until it is complete: always, or unless its head forbids it as nginx understands it. */
  readonly buffering?: 'always' | 'unless told'
}

export interface TcpProxy {
  readonly url: string
  /** Connections that were made so far. */
  readonly connections: number
  /** Connections that the proxy has cut by itself. */
  readonly cuts: number
  /** From now on connections lead here. */
  to(url: string): void
  /** Cuts every connection that is open. */
  cutAll(): void
}

/** Starts a proxy in front of a server, until the test ends. */
export async function startProxy(target: string, options: ProxyOptions = {}): Promise<TcpProxy> {
  let place = new URL(target)
  let connections = 0
  let cuts = 0
  const open = new Set<() => void>()

  const server = createServer((client) => {
    connections += 1
    const upstream = connect(Number(place.port), place.hostname)
    let timer: ReturnType<typeof setTimeout> | undefined
    function drop(): void {
      clearTimeout(timer)
      open.delete(drop)
      client.destroy()
      upstream.destroy()
    }
    function seen(): void {
      if (options.idle === undefined) return
      clearTimeout(timer)
      // What has come meanwhile is looked at first: this process may have been busy elsewhere.
      timer = setTimeout(() => {
        timer = setTimeout(() => {
          cuts += 1
          drop()
        }, 20)
      }, options.idle)
    }
    open.add(drop)
    for (const socket of [client, upstream]) {
      socket.on('error', drop)
      socket.on('close', drop)
    }
    seen()
    client.on('data', (bytes) => {
      seen()
      upstream.write(bytes)
    })
    const forward = forwarder(client, upstream, options)
    upstream.on('data', (bytes) => {
      seen()
      if (forward(bytes)) return
      cuts += 1
      drop()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const cutAll = (): void => {
    for (const drop of open) drop()
  }
  onCleanup(async () => {
    cutAll()
    await new Promise((resolve) => server.close(resolve))
  })
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    get connections() {
      return connections
    },
    get cuts() {
      return cuts
    },
    to: (url) => {
      place = new URL(url)
    },
    cutAll,
  }
}

/** Passes bytes on to the client; false once the connection is to be cut. */
function forwarder(client: Socket, upstream: Socket, options: ProxyOptions): (bytes: Buffer) => boolean {
  const limit = options.cutAfter?.()
  let passed = 0
  let held: Buffer[] | undefined = options.buffering === undefined ? undefined : []
  const release = (): void => {
    const all = held
    held = undefined
    if (all !== undefined && all.length > 0) client.write(Buffer.concat(all))
  }
  upstream.on('end', release)
  return (bytes) => {
    if (held !== undefined) {
      held.push(bytes)
      const text = Buffer.concat(held).toString('latin1')
      const told = options.buffering === 'unless told' && /^x-accel-buffering: no\r$/im.test(text)
      const whole = /\r\n\r\n[\s\S]*\r\n0\r\n\r\n$|\r\n\r\n\{[\s\S]*\}$/.test(text)
      if (told || whole) release()
      if (!told && whole) held = []
      return true
    }
    const rest = limit === undefined ? bytes.length : limit - passed
    passed += bytes.length
    client.write(rest < bytes.length ? bytes.subarray(0, Math.max(0, rest)) : bytes)
    return rest >= bytes.length
  }
}
