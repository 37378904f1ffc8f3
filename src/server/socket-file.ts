import { lstat, unlink } from 'node:fs/promises'
import { connect } from 'node:net'

/** Removes a Unix socket that nobody listens on any more; anything else at the path is left alone. */
export async function claimSocketFile(path: string): Promise<void> {
  const found = await lstat(path).catch(() => undefined)
  if (found === undefined) return
  if (!found.isSocket()) throw new Error(`cannot listen on ${path}: a file that is not a socket is in the way`)
  if (!(await answers(path))) await unlink(path)
}

function answers(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path)
    socket.once('connect', () => {
      socket.destroy()
      resolve(true)
    })
    socket.once('error', () => resolve(false))
  })
}
