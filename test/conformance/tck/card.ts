import assert from 'node:assert/strict'
import { connect } from '../../../src/client/connect.ts'
import { failsWith } from '../failures.ts'
import { type Check, needs, resultOf, type Scene, send, skip } from '../scene.ts'
import { valid } from '../schema-check.ts'
import { exchange } from '../wire/http.ts'
import { allBindings, type HttpAnswer, type Json } from '../wire/peer.ts'

function fetchCard({ subject }: Pick<Scene, 'subject'>, headers: Record<string, string> = {}): Promise<HttpAnswer> {
  return exchange({ method: 'GET', url: subject.cardUrl, headers })
}

interface Signature {
  readonly protected: string
  readonly signature: string
}

/** Signatures of the card and their protected headers. */
function signatures({ subject }: Scene): readonly (Signature & { readonly header: Json })[] {
  const list = (subject.card.signatures ?? []) as readonly Signature[]
  if (list.length === 0) skip('the card is not signed')
  return list.map((each) => ({
    ...each,
    header: JSON.parse(Buffer.from(each.protected, 'base64url').toString()) as Json,
  }))
}

const wanted = [
  'name',
  'description',
  'version',
  'capabilities',
  'skills',
  'supportedInterfaces',
  'defaultInputModes',
  'defaultOutputModes',
]

/** The card, its cache headers, versions and clients: CARD and VER of TCK 1.0. */
export const card: readonly Check[] = [
  {
    id: 'CARD-DISC-001',
    level: 'MUST',
    title: 'the card is a JSON object at its well-known place, for everybody',
    on: 'once',
    async run(scene) {
      const { status, type, body } = await fetchCard(scene)
      assert.equal(status, 200)
      assert.match(type, /^application\/(?:a2a\+)?json/)
      assert.ok(body !== undefined && !Array.isArray(body))
    },
  },
  {
    id: 'CARD-PROTO-001',
    level: 'MUST',
    title: 'the card lists interfaces',
    on: 'once',
    run({ subject }) {
      const list = subject.card.supportedInterfaces
      assert.ok(Array.isArray(list) && list.length > 0)
    },
  },
  {
    id: 'CARD-PROTO-002',
    level: 'MUST',
    title: 'each interface is whole',
    on: 'once',
    run({ subject }) {
      for (const each of subject.card.supportedInterfaces as readonly Json[]) valid('AgentInterface', each)
    },
  },
  {
    id: 'CARD-STRUCT-001',
    level: 'MUST',
    title: 'the card is whole and holds nothing else',
    on: 'once',
    async run(scene) {
      const { body = {} } = await fetchCard(
        scene,
        scene.subject.expects.cardShape === '1.0' ? {} : { 'a2a-version': '1.0' },
      )
      valid('AgentCard', body)
      for (const name of wanted) assert.ok(body[name] !== undefined && body[name] !== '', `${name} is missing`)
    },
  },
  {
    id: 'CARD-EXT-001',
    level: 'MUST',
    title: 'the extended card is a card',
    async run(scene) {
      needs(scene, 'extendedAgentCard')
      valid('AgentCard', resultOf(await scene.peer.call('GetExtendedAgentCard', {})))
    },
  },
  {
    id: 'CARD-EXT-002',
    level: 'MUST',
    title: 'the extended card is for authenticated callers',
    async run(scene) {
      needs(scene, 'extendedAgentCard')
      const { error } = await scene.open(scene.peer.binding, { token: null }).call('GetExtendedAgentCard', {})
      assert.ok(error, 'somebody without credentials got the extended card')
    },
  },
  {
    id: 'CARD-SIGN-001',
    level: 'MUST',
    title: 'a signature is a JWS of parts in base64url',
    on: 'once',
    run(scene) {
      for (const { protected: head, signature } of signatures(scene)) {
        for (const text of [head, signature]) assert.match(text, /^[\w-]+$/)
      }
    },
  },
  {
    id: 'CARD-SIGN-002',
    level: 'MUST',
    title: 'a signature stands beside the card, not within what it signs',
    on: 'once',
    run(scene) {
      for (const { header } of signatures(scene)) assert.notEqual(header.b64, false)
    },
  },
  {
    id: 'CARD-SIGN-003',
    level: 'MUST',
    title: 'the protected header names the algorithm and the key',
    on: 'once',
    run(scene) {
      for (const { header } of signatures(scene)) {
        assert.ok(typeof header.alg === 'string' && header.alg !== 'none' && typeof header.kid === 'string')
      }
    },
  },
  {
    id: 'CARD-SIGN-004',
    level: 'MUST',
    title: 'no signature has expired',
    on: 'once',
    run(scene) {
      for (const { header } of signatures(scene)) {
        assert.ok(header.exp === undefined || Number(header.exp) * 1000 > Date.now(), 'a signature has expired')
      }
    },
  },
  {
    id: 'CARD-CACHE-001',
    level: 'SHOULD',
    title: 'the card says how long it may be kept',
    on: 'once',
    run: async (scene) => assert.match((await fetchCard(scene)).headers.get('cache-control') ?? '', /max-age=\d+/),
  },
  {
    id: 'CARD-CACHE-002',
    level: 'SHOULD',
    title: 'the card has an ETag, by which a copy is known to be fresh',
    on: 'once',
    async run(scene) {
      const etag = (await fetchCard(scene)).headers.get('etag')
      assert.ok(etag, 'there is no ETag')
      assert.equal((await fetchCard(scene, { 'if-none-match': etag })).status, 304)
    },
  },
  {
    id: 'CARD-CACHE-003',
    level: 'MAY',
    title: 'the card has a Last-Modified, by which a copy is known to be fresh',
    on: 'once',
    async run(scene) {
      const modified = (await fetchCard(scene)).headers.get('last-modified')
      assert.ok(modified, 'there is no Last-Modified')
      assert.equal((await fetchCard(scene, { 'if-modified-since': modified })).status, 304)
    },
  },
  {
    id: 'VER-SERVER-001',
    level: 'MUST',
    title: 'a request is answered in the version it names, whatever the patch number',
    async run(scene) {
      for (const version of ['1.0', '1.0.1']) {
        const headers = { 'a2a-version': version }
        valid('SendMessageResponse', resultOf(await send(scene, 'tck-complete-task', { options: { headers } })))
      }
    },
  },
  {
    id: 'VER-SERVER-002',
    level: 'MUST',
    title: 'a version that is not spoken is VersionNotSupported',
    async run(scene) {
      const headers = { 'a2a-version': '99.0' }
      failsWith(scene, 'VersionNotSupported', (await send(scene, 'tck-complete-task', { options: { headers } })).error)
      failsWith(scene, 'VersionNotSupported', (await scene.peer.call('ListTasks', {}, { headers })).error)
    },
  },
  {
    id: 'VER-SERVER-003',
    level: 'MUST',
    title: 'no version counts as the one that the profile assumes',
    async run(scene) {
      for (const version of ['', undefined]) {
        const { error } = await send(scene, 'tck-complete-task', { options: { headers: { 'a2a-version': version } } })
        if (scene.subject.expects.assumedVersion === '1.0') assert.equal(error, undefined)
        else failsWith(scene, 'VersionNotSupported', error)
      }
    },
  },
  {
    id: 'VER-CLIENT-001',
    level: 'MUST',
    title: 'our client sends A2A-Version with every request',
    on: ['JSONRPC', 'HTTP+JSON'],
    run: async (scene) => assert.deepEqual([...new Set(await sentVersions(scene))], ['1.0']),
  },
  {
    id: 'VER-CLIENT-002',
    level: 'MUST',
    title: 'our client sends no patch number',
    on: ['JSONRPC', 'HTTP+JSON'],
    async run(scene) {
      for (const version of await sentVersions(scene)) assert.match(version ?? '', /^\d+\.\d+$/)
    },
  },
  {
    id: 'BIND-FIELD-001',
    level: 'MUST',
    title: 'the card declares a binding that is known',
    on: 'once',
    run({ subject }) {
      assert.ok(allBindings.some((binding) => subject.address(binding) !== undefined))
    },
  },
]

/** The versions that our client names while it makes every kind of call. */
async function sentVersions({ subject, peer }: Scene): Promise<readonly (string | undefined)[]> {
  const versions: (string | undefined)[] = []
  const listed = subject.card.supportedInterfaces as readonly Json[]
  const supportedInterfaces = listed.filter(({ url }) => url === peer.url)
  const agent = await connect({ ...subject.card, supportedInterfaces } as never, {
    ...(subject.tokens && { token: subject.tokens.valid }),
    fetch: (url, init) => {
      versions.push(new Headers(init?.headers).get('a2a-version') ?? undefined)
      return fetch(url, init)
    },
  })
  const { task } = await agent.send({ messageId: 'tck-input-required', parts: [{ text: 'hello' }] })
  const id = task?.id ?? ''
  for await (const _ of agent.stream({ messageId: 'tck-complete-task', parts: [{ text: 'hello' }] }));
  for await (const _ of agent.subscribe(id)) break
  await agent.get(id)
  await agent.list()
  await agent.cancel(id)
  await agent.call('ListTaskPushNotificationConfigs', { taskId: id }).catch(() => {})
  await agent.call('GetExtendedAgentCard', {}).catch(() => {})
  assert.ok(versions.length >= 8)
  return versions
}
