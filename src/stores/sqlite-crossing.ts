import type { Batch } from './sqlite-batch.ts'
import type { CommitterRequest } from './sqlite-committer.ts'

/** A batch as it crosses to the thread: copying one long text and two blocks of numbers costs far less than copying each value. */
interface PackedBatch {
  readonly numbers: Float64Array
  /** Length of each string; -1 stands for null. */
  readonly lengths: Int32Array
  readonly text: string
}

/** A request as the thread gets it. */
export type CrossingRequest =
  | Exclude<CommitterRequest, { readonly kind: 'commit' }>
  | { readonly kind: 'commit'; readonly packed: PackedBatch; readonly process: number }

/** Makes a request ready to cross, with what is handed over instead of copied. */
export function packRequest(request: CommitterRequest | undefined): [CrossingRequest, ArrayBuffer[]] {
  if (request?.kind !== 'commit') return [request as CrossingRequest, []]
  const { numbers, strings } = request.batch
  const packed = {
    numbers: Float64Array.from(numbers),
    lengths: Int32Array.from(strings, (string) => string?.length ?? -1),
    text: strings.join(''),
  }
  return [{ kind: 'commit', packed, process: request.process }, [packed.numbers.buffer, packed.lengths.buffer]]
}

/** The request as it was before it crossed. */
export function unpackRequest(request: CrossingRequest): CommitterRequest {
  if (request?.kind !== 'commit') return request
  const { numbers, lengths, text } = request.packed
  let at = 0
  const strings = Array.from(lengths, (length) => {
    if (length < 0) return null
    at += length
    return text.slice(at - length, at)
  })
  const batch: Batch = { numbers: Array.from(numbers), strings }
  return { kind: 'commit', batch, process: request.process }
}
