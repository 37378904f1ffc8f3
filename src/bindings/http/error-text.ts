import { type A2AError, errorDetails } from '../../protocol/errors.ts'

/** The body of an error answer, which is also the data of an error event (§11.6). */
export function restErrorText(error: A2AError, status: number): string {
  const details = errorDetails(error)
  return JSON.stringify({
    error: { code: status, status: error.row.status, message: error.message, ...(details.length > 0 && { details }) },
  })
}

/**
 * The same as callers of 0.3 know it, which says nothing about errors here: the error object of JSON-RPC without an
 * envelope, as the SDK for JavaScript has it, and beside it the form of 1.0, as that for Go has it.
 */
export function bareErrorText(error: A2AError, status: number): string {
  const data = errorDetails(error)
  const bare = { code: error.row.jsonRpc, message: error.message, ...(data.length > 0 && { data }) }
  return JSON.stringify({ ...bare, ...JSON.parse(restErrorText(error, status)) })
}
