import { type A2AError, errorDetails } from '../../protocol/errors.ts'

/** The body of an error answer, which is also the data of an error event (§11.6). */
export function restErrorText(error: A2AError, status: number): string {
  const details = errorDetails(error)
  return JSON.stringify({
    error: { code: status, status: error.row.status, message: error.message, ...(details.length > 0 && { details }) },
  })
}

/** The same as callers of 0.3 know it: the error object of JSON-RPC without an envelope. */
export function bareErrorText(error: A2AError): string {
  const data = errorDetails(error)
  return JSON.stringify({ code: error.row.jsonRpc, message: error.message, ...(data.length > 0 && { data }) })
}
