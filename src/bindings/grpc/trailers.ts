import { type A2AError, grpcCodes } from '../../protocol/errors.ts'
import { encodeGrpcMessage, encodeStatusDetails } from './status.ts'

/** Status names under which errors are sent that differ from the error table. */
export type StatusOverrides = Readonly<Partial<Record<A2AError['code'], keyof typeof grpcCodes>>>

export type Trailers = Readonly<Record<string, string>>

/** Trailers of a call that went well. */
export const okTrailers: Trailers = { 'grpc-status': '0' }

/** Characters of an encoded text, and bytes of details: common clients refuse more than 8 KiB of metadata together. */
const longestText = 2_048
const mostDetails = 3_072

const printable = /^[\x20-\x7e]*$/

/** How errors are told. */
export interface ErrorForm {
  readonly overrides: StatusOverrides
  /** Whether the text begins with the name of the type: `TaskNotFoundError: …`. */
  readonly named?: boolean
}

/** The trailers that tell an error: status, text, details, when to come back, and the metadata that belongs to it. */
export function errorTrailers(error: A2AError, { overrides, named = false }: ErrorForm): Trailers {
  const { retryAfter } = error
  const code = grpcCodes[overrides[error.code] ?? error.row.status]
  const message = shorten(named ? `${error.code}Error: ${error.message}` : error.message)
  const trailers: Record<string, string> = { 'grpc-status': String(code), 'grpc-message': encodeGrpcMessage(message) }
  const details = encodeStatusDetails(error, { code, message, limit: mostDetails })
  if (details !== undefined) {
    trailers['grpc-status-details-bin'] = Buffer.from(details).toString('base64').replace(/=+$/, '')
  }
  if (retryAfter !== undefined) {
    trailers['retry-after'] = String(Math.ceil(retryAfter))
    trailers['grpc-retry-pushback-ms'] = String(Math.ceil(retryAfter * 1_000))
  }
  for (const [name, value] of Object.entries(error.headers)) {
    if (printable.test(value)) trailers[name.toLowerCase()] = value
  }
  return trailers
}

function shorten(text: string): string {
  let length = Math.min(text.length, longestText)
  let shortened = text
  while (encodeGrpcMessage(shortened).length > longestText) {
    shortened = `${text.slice(0, length)}…`
    length = Math.floor(length / 2)
  }
  // Half a character, from the cut or from whoever made the text, has no place in protobuf.
  return Buffer.from(shortened).toString()
}
