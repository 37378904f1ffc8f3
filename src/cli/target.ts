import { usageError } from './command-error.ts'

/** The agent that a command line names. */
export interface Target {
  /** As it was given, without user and password; it may be shown. */
  readonly url: string
  /** An `Authorization` value made from user and password. */
  readonly authorization?: string
}

/** Takes user and password out of an address, so that they are sent as a header and never shown. */
export function parseTarget(text: string): Target {
  const [, scheme = '', userinfo, rest] = /^([a-z][a-z\d+.-]*:\/\/)?([^/?#]*)@([^@]*)$/i.exec(text.trim()) ?? []
  if (userinfo === undefined || rest === undefined) return { url: text.trim() }
  let credentials: string
  try {
    credentials = decodeURIComponent(userinfo)
  } catch {
    throw usageError('url: user and password must be percent-encoded', 'or give them with --header')
  }
  const bytes = credentials.includes(':') ? credentials : `${credentials}:`
  return { url: scheme + rest, authorization: `Basic ${Buffer.from(bytes).toString('base64')}` }
}
