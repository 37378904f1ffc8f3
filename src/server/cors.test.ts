import { expect, test } from 'vitest'
import { fakeRequest } from '../bindings/testing.ts'
import { createCors } from './cors.ts'

const cors = createCors({
  origins: ['https://app.example', 'http://localhost:3000', '~https://.*\\.trusted\\.example'],
})

function originFor(origin: string): string | undefined {
  return cors.headers(fakeRequest({ headers: { origin } }))['access-control-allow-origin']
}

test('origins are matched whole', () => {
  const good = ['https://app.example', 'http://localhost:3000', 'https://a.trusted.example']
  expect(good.map(originFor)).toEqual(good)
  const bad = [
    'https://app.example.evil',
    'http://app.example',
    'https://app.example:444',
    'null',
    'https://a.trusted.example.evil',
    'xhttps://a.trusted.example',
  ]
  expect(bad.map(originFor)).toEqual(bad.map(() => undefined))
})

test('answers differ by origin, so caches are told, also when no origin was sent', () => {
  expect(cors.headers(fakeRequest({}))).toEqual({ vary: 'origin' })
  expect(
    createCors({ origins: ['*'] }).headers(fakeRequest({ headers: { origin: 'https://x.example' } })),
  ).toMatchObject({
    'access-control-allow-origin': '*',
  })
})

test('a preflight allows the headers that a caller needs, and never credentials', () => {
  const headers = { origin: 'https://app.example', 'access-control-request-method': 'POST' }
  const answer = cors.preflight(fakeRequest({ method: 'OPTIONS', headers }))
  expect(answer?.status).toBe(204)
  expect(answer?.headers).toMatchObject({
    'access-control-allow-origin': 'https://app.example',
    'access-control-allow-headers':
      'A2A-Version, A2A-Extensions, Authorization, Content-Type, Accept, Last-Event-ID, Idempotency-Key',
  })
  for (const origins of [['*'], ['https://app.example']]) {
    const any = createCors({ origins })
    const all = {
      ...any.preflight(fakeRequest({ method: 'OPTIONS', headers }))?.headers,
      ...any.headers(fakeRequest({ headers })),
    }
    expect(Object.keys(all)).not.toContain('access-control-allow-credentials')
    expect(all['access-control-expose-headers']).toContain('A2A-Extensions')
  }
})

test('what is no preflight, or from nobody we know, gets nothing', () => {
  expect(cors.preflight(fakeRequest({ method: 'OPTIONS' }))).toBeUndefined()
  expect(cors.preflight(fakeRequest({ method: 'POST', headers: { origin: 'https://app.example' } }))).toBeUndefined()
  const headers = { origin: 'https://evil.example', 'access-control-request-method': 'POST' }
  const answer = cors.preflight(fakeRequest({ method: 'OPTIONS', headers }))
  expect(Object.keys(answer?.headers ?? {})).toEqual(['vary'])
})

for (const origin of ['https://app.example/', 'app.example', '', '~(', 'file:///x']) {
  test(`an origin that is none is refused: ${JSON.stringify(origin)}`, () => {
    expect(() => createCors({ origins: [origin] })).toThrow(TypeError)
  })
}
