import { type A2AError, errorDetails } from '../../protocol/errors.ts'

/** The body of an error answer, which is also the data of an error event (§11.6). */
export function restErrorText(error: A2AError, status: number): string {
  return JSON.stringify({ error: statusOf(error, status) })
}

function statusOf(error: A2AError, code: number): object {
  const details = errorDetails(error)
  return { code, status: error.row.status, message: error.message, ...(details.length > 0 && { details }) }
}

/**
 * The same as callers of 0.3 know it, which says nothing about errors here: the error object of JSON-RPC without an
 * envelope, as the SDK for JavaScript reads it, and beside it the form of 1.0, as that for Go does.
 */
export function bareErrorText(error: A2AError, status: number): string {
  const data = errorDetails(error)
  const bare = { code: error.row.jsonRpc, message: error.message, ...(data.length > 0 && { data }) }
  return JSON.stringify({ ...bare, error: statusOf(error, status) })
}
