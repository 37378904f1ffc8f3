import type { AddressInfo, Server, Socket } from 'node:net'
import type { ListenAddress } from './address.ts'
import { claimSocketFile } from './socket-file.ts'

/** An address on which connections come in. */
export interface OpenDoor {
  /** The port in use; 0 for a Unix socket. */
  readonly port: number
  /** Asks for no more connections. */
  close(): void
}

/** Where connections come from, when another process listens for this one. */
export interface Door {
  /** Begins to take connections. Rejects with an error for people when the address cannot be had. */
  open(address: ListenAddress, take: (socket: Socket) => void): Promise<OpenDoor>
}

/** Lets a server listen on an address; rejects with an error for people when it cannot be had. */
export async function startListening(server: Server, address: ListenAddress): Promise<OpenDoor> {
  if (address.kind === 'unix') await claimSocketFile(address.path)
  await new Promise<void>((resolve, reject) => {
    const onError = (error: NodeJS.ErrnoException): void => reject(explain(error, address))
    server.once('error', onError)
    const ready = (): void => {
      server.off('error', onError)
      resolve()
    }
    if (address.kind === 'unix') server.listen(address.path, ready)
    else if (address.host === '::') server.listen(address.port, ready)
    else server.listen(address.port, address.host, ready)
  })
  const bound = server.address()
  const port = typeof bound === 'object' && bound !== null ? (bound as AddressInfo).port : 0
  return { port, close: () => void server.close() }
}

function explain(error: NodeJS.ErrnoException, address: ListenAddress): Error {
  const place = address.kind === 'unix' ? address.path : `${address.host}:${address.port}`
  const reasons: Readonly<Record<string, string>> = {
    EADDRINUSE: 'another program listens there; stop it or choose another port (0 takes any free one)',
    EACCES: 'this user may not listen there; choose a port above 1023 or another path',
    EADDRNOTAVAIL: 'this machine does not have that address',
    ENOTFOUND: 'that host name is not known',
  }
  return new Error(`cannot listen on ${place}: ${reasons[error.code ?? ''] ?? error.message}`, { cause: error })
}
