import type { Call, Seed } from './calls.ts'
import { seeds03 } from './seeds-v0-3.ts'
import { seeds10 } from './seeds-v1.ts'

const get = (path: string): Call => ({ kind: 'http', verb: 'GET', path, headers: {} })

const others: readonly Seed[] = [
  { label: 'card', make: () => get('/.well-known/agent-card.json') },
  { label: 'tenant card', make: () => get('/acme/.well-known/agent-card.json') },
  { label: 'health', make: (random) => get(random.pick(['/healthz', '/readyz'])) },
  {
    label: 'preflight',
    make: () => ({
      kind: 'http',
      verb: 'OPTIONS',
      path: '/invoke',
      headers: {
        origin: 'https://page.example',
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'content-type, a2a-version',
      },
    }),
  },
]

/** Every kind of call that is made. */
export const seeds: readonly Seed[] = [...seeds10, ...seeds03, ...others]
