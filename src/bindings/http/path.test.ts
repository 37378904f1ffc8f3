import fc from 'fast-check'
import { expect, test } from 'vitest'
import { v1 } from '../../protocol/versions/v1.ts'
import { createRouter } from './path.ts'

const route = createRouter(v1.operations, new Set(['acme', 'a/b', 'ü']))

/** `Operation name=value …`, the verbs that are allowed, or nothing. */
function find(request: string): string {
  const [verb = '', path = ''] = request.split(' ')
  const found = route(verb, path)
  if (found === undefined) return 'nothing'
  if (!('row' in found)) return `only ${found.allow.join(' ')}`
  const values = Object.entries(found.path).map(([name, value]) => `${name}=${value}`)
  return [found.row.name, ...values].join(' ')
}

for (const { name, http } of v1.operations) {
  for (const { verb, path } of http) {
    test(`REST-01 ${verb} ${path} is ${name}`, () => {
      const filled = path.replace('{tenant}', 'acme').replace(/\{(\w+)\}/g, 'v-$1')
      const [found, ...values] = find(`${verb} ${filled}`).split(' ')
      expect(found).toBe(name)
      expect(values).toEqual(
        [...path.matchAll(/\{(\w+)\}/g)].map(([, key]) => `${key}=${key === 'tenant' ? 'acme' : `v-${key}`}`),
      )
    })
  }
}

const rows: readonly (readonly [rule: string, request: string, found: string])[] = [
  ['REST-26 id with a colon', 'GET /tasks/a:b', 'GetTask id=a:b'],
  ['REST-26 AMB-73 the last colon counts', 'POST /tasks/a:b:cancel', 'CancelTask id=a:b'],
  ['REST-26 an encoded slash belongs to the id', 'GET /tasks/a%2Fb', 'GetTask id=a/b'],
  ['REST-26 an id that ends like a verb', 'POST /tasks/x%3Acancel:cancel', 'CancelTask id=x:cancel'],
  ['REST-26 an id that ends like a verb, read', 'GET /tasks/x%3Acancel', 'GetTask id=x:cancel'],
  ['REST-26 an id of a verb only', 'GET /tasks/:cancel', 'GetTask id=:cancel'],
  ['REST-28 encoded colon of a verb', 'POST /tasks/x%3Acancel', 'CancelTask id=x'],
  ['REST-28 encoded colon after a plain one', 'POST /tasks/a:b%3acancel', 'CancelTask id=a:b'],
  ['REST-28 encoded colon of send', 'POST /message%3Asend', 'SendMessage'],
  ['REST-28 encoded colon of stream', 'POST /acme/message%3astream', 'SendStreamingMessage tenant=acme'],
  ['REST-27 tasks is not a tenant', 'GET /tasks/tasks', 'GetTask id=tasks'],
  ['REST-24 tenant', 'GET /acme/tasks', 'ListTasks tenant=acme'],
  ['REST-24 tenant with a slash', 'GET /a%2Fb/tasks/t', 'GetTask tenant=a/b id=t'],
  ['REST-24 tenant in UTF-8', 'GET /%C3%BC/tasks', 'ListTasks tenant=ü'],
  ['REST-31 undeclared tenant', 'GET /other/tasks', 'nothing'],
  ['AMB-03 subscribe by GET', 'GET /tasks/t:subscribe', 'SubscribeToTask id=t'],
  ['AMB-03 subscribe by POST', 'POST /tasks/t:subscribe', 'SubscribeToTask id=t'],
  ['REST-05 wrong verb on a verb', 'GET /tasks/t:cancel', 'only POST'],
  ['REST-05 wrong verb on a literal', 'GET /message:send', 'only POST'],
  ['REST-05 wrong verb on a task', 'DELETE /tasks/t', 'only GET'],
  ['REST-05 wrong verb where two are served', 'DELETE /tasks/t:subscribe', 'only GET POST'],
  ['REST-05 wrong verb on a list', 'PUT /tasks/t/pushNotificationConfigs', 'only GET POST'],
  ['REST-31 unknown verb', 'POST /tasks/t:pause', 'only GET'],
  ['REST-31 unknown path', 'GET /nothing', 'nothing'],
  ['REST-31 the root', 'GET /', 'nothing'],
  ['REST-01 no /v1', 'POST /v1/message:send', 'nothing'],
  ['REST-31 too deep', 'GET /tasks/t/pushNotificationConfigs/c/d', 'nothing'],
  ['REST-31 empty id', 'GET /tasks//pushNotificationConfigs', 'nothing'],
  ['a slash at the end', 'GET /tasks/', 'ListTasks'],
  ['a slash at the end of a verb', 'POST /tasks/t:cancel/', 'CancelTask id=t'],
  ['a plus is a plus', 'GET /tasks/a+b', 'GetTask id=a+b'],
]
for (const [rule, request, found] of rows) {
  test(`${rule}: ${request}`, () => {
    expect(find(request)).toBe(found)
  })
}

for (const path of ['/tasks/%', '/tasks/%zz', '/tasks/%ff', '/%E0%A4%A/tasks']) {
  test(`${path} is refused as a bad request`, () => {
    expect(() => route('GET', path)).toThrow('not valid percent-encoded')
  })
}

test('REST-26 any id survives encoding, alone and before a verb', () => {
  const id = fc.string({ minLength: 1, unit: 'grapheme' })
  fc.assert(
    fc.property(id, (text) => {
      const encoded = encodeURIComponent(text)
      expect(route('POST', `/tasks/${encoded}:cancel`)).toMatchObject({
        row: { name: 'CancelTask' },
        path: { id: text },
      })
      const read = route('GET', `/acme/tasks/${encoded}`)
      if (!text.endsWith(':subscribe')) expect(read).toMatchObject({ path: { id: text, tenant: 'acme' } })
    }),
  )
})
