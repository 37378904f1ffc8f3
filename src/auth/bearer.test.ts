import { expect, test } from 'vitest'
import type { HttpRequest } from '../lib/http.ts'
import { A2AError } from '../protocol/errors.ts'
import { bearerTokens } from './bearer.ts'

function withHeader(authorization?: string): HttpRequest {
  return { headers: { authorization } } as unknown as HttpRequest
}

const auth = bearerTokens(['secret-1', { token: 'secret-2', name: 'alice' }])

test('SEC-07 a known token is let in under its name, or a hash that does not hold it', async () => {
  expect(await auth.authenticate(withHeader('Bearer secret-2'))).toEqual({ id: 'alice' })
  expect(await auth.authenticate(withHeader('bearer  secret-2'))).toEqual({ id: 'alice' })
  const { id } = await auth.authenticate(withHeader('Bearer secret-1'))
  expect(id).toMatch(/^token:[0-9a-f]{16}$/)
  expect(await bearerTokens(['secret-1']).authenticate(withHeader('Bearer secret-1'))).toEqual({ id })
})

const refused: readonly (readonly [name: string, header: string | undefined])[] = [
  ['nothing', undefined],
  ['an empty header', ''],
  ['another scheme', 'Basic secret-1'],
  ['no token', 'Bearer '],
  ['a wrong token', 'Bearer secret-3'],
  ['a token cut short', 'Bearer secret-'],
  ['a token with more behind it', 'Bearer secret-1secret-1'],
  ['two tokens', 'Bearer secret-1 secret-2'],
  ['a token in another case', 'Bearer SECRET-1'],
]
for (const [name, header] of refused) {
  test(`SEC-07 SEC-09 ERR-10 ${name} is refused with a challenge that gives no token away`, async () => {
    let error: A2AError | undefined
    try {
      await auth.authenticate(withHeader(header))
    } catch (thrown) {
      error = A2AError.from(thrown)
    }
    expect(error?.code).toBe('Unauthenticated')
    expect(error?.headers['www-authenticate']).toMatch(/^Bearer realm="a2a"/)
    expect(`${error?.message}`).not.toContain('secret')
  })
}

test('SEC-06 CARD-22 the card can say what is needed', () => {
  expect(auth.securitySchemes).toEqual({ bearer: { httpAuthSecurityScheme: { scheme: 'Bearer' } } })
  expect(auth.securityRequirements).toEqual([{ schemes: { bearer: {} } }])
})

for (const tokens of [[], [''], ['with space'], [{ token: 'ü' }]]) {
  test(`tokens that cannot work are refused at once: ${JSON.stringify(tokens)}`, () => {
    expect(() => bearerTokens(tokens)).toThrow(TypeError)
  })
}
