// The third way in which ACTS starts its server: everybody has to show a token.
import { A2AError, type Authenticator, type HttpRequest, type Principal, unauthenticated } from 'parlance/server'

/** Tokens that let callers in, and who they are; the second is there to see that tasks are kept apart. */
const callers: Readonly<Record<string, string>> = { 'itk-valid-token': 'itk', 'itk-other-token': 'other' }

const challenge = 'Bearer realm="a2a"'

function authenticate({ headers }: HttpRequest): Principal {
  const token = /^bearer +(\S+) *$/i.exec(headers.authorization ?? '')?.[1]
  if (token === 'itk-insufficient-token') {
    throw new A2AError('PermissionDenied', 'This token is known, but lets nobody use the agent')
  }
  const id = token === undefined ? undefined : callers[token]
  if (id === undefined) throw unauthenticated('Send the header Authorization: Bearer itk-valid-token', challenge)
  return { id }
}

/** Who ACTS lets in. */
export const actsAuthenticator: Authenticator = {
  authenticate,
  securitySchemes: { bearer: { httpAuthSecurityScheme: { scheme: 'Bearer' } } },
  securityRequirements: [{ schemes: { bearer: {} } }],
}
