import type { HttpRequest } from '../lib/http.ts'
import { type Authenticator, type Principal, unauthenticated } from './authenticate.ts'

/** A static token and the name of who holds it; without a name the holder is `token:` and a hash of the token. */
export interface StaticToken {
  readonly token: string
  readonly name?: string
}

/**
 * Lets those in who send one of these tokens as `Authorization: Bearer …` (RFC 6750). How long a comparison takes does
 * not depend on how much of a token is right. An unusable token is a `TypeError`.
 */
export function bearerTokens(tokens: readonly (string | StaticToken)[]): Authenticator {
  const known = tokens.map((entry) => (typeof entry === 'string' ? { token: entry } : entry))
  if (known.length === 0) throw new TypeError('bearerTokens needs at least one token')
  for (const { token } of known) {
    if (!/^[\w.~+/-]+=*$/.test(token)) {
      throw new TypeError('a bearer token must be letters, digits and -._~+/ only, with = at its end at most')
    }
  }
  const principals = Promise.all(known.map(principalOf))
  let ready: readonly Principal[] | undefined
  void principals.then((list) => {
    ready = list
  })

  function authenticate(request: HttpRequest): Principal | Promise<Principal> {
    const { authorization } = request.headers
    if (authorization === undefined) {
      throw unauthenticated('This agent needs a bearer token: send the header Authorization: Bearer TOKEN', challenge)
    }
    const given = /^bearer +(\S+) *$/i.exec(authorization)?.[1]
    if (given === undefined) throw unauthenticated('The Authorization header must read: Bearer TOKEN', challenge)
    let index = -1
    for (let at = 0; at < known.length; at++) {
      if (sameText(given, (known[at] as StaticToken).token)) index = at
    }
    if (index < 0) throw unauthenticated('The bearer token is not valid here', `${challenge}, error="invalid_token"`)
    return ready === undefined ? principals.then((list) => list[index] as Principal) : (ready[index] as Principal)
  }

  return {
    authenticate,
    securitySchemes: { bearer: { httpAuthSecurityScheme: { scheme: 'Bearer' } } },
    securityRequirements: [{ schemes: { bearer: {} } }],
  }
}

const challenge = 'Bearer realm="a2a"'

/** Compares in a time that depends on the length of `given` only. */
function sameText(given: string, secret: string): boolean {
  let difference = given.length ^ secret.length
  for (let at = 0; at < given.length; at++) {
    difference |= given.charCodeAt(at) ^ secret.charCodeAt(at % secret.length)
  }
  return difference === 0
}

async function principalOf({ token, name }: StaticToken): Promise<Principal> {
  if (name !== undefined && name !== '') return { id: name }
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(token)))
  return { id: `token:${Array.from(digest.subarray(0, 8), (byte) => byte.toString(16).padStart(2, '0')).join('')}` }
}
