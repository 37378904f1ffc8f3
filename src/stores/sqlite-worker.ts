import { parentPort, workerData } from 'node:worker_threads'
import { type CommitterOptions, openCommitter } from './sqlite-committer.ts'
import { type CrossingRequest, unpackRequest } from './sqlite-crossing.ts'

/** The first words of the thread: whether it could open the file. */
export type WorkerGreeting = { readonly process: number } | { readonly refused: string }

/** What the thread says unasked: the number of this process since it was taken for dead. */
export interface WorkerNews {
  readonly lost: number
  readonly told: true
}

const port = parentPort
if (port !== null) {
  const { options } = workerData as { options: CommitterOptions }
  try {
    const committer = await openCommitter(options, (lost) =>
      port.postMessage({ lost, told: true } satisfies WorkerNews),
    )
    port.on('message', (request: CrossingRequest) => {
      const reply = committer.answer(unpackRequest(request))
      if (reply !== undefined) port.postMessage(reply)
      if (request.kind === 'close') port.close()
    })
    port.postMessage({ process: committer.process } satisfies WorkerGreeting)
  } catch (error) {
    port.postMessage({ refused: (error as Error).message } satisfies WorkerGreeting)
    port.close()
  }
}
