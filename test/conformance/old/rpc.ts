import assert from 'node:assert/strict'
import type { Check, Scene } from '../scene.ts'
import { exchange } from '../wire/http.ts'
import type { Json } from '../wire/peer.ts'
import { oldSend } from './speech.ts'

/** Posts a text to the JSON-RPC endpoint; errors too are told with 200. */
async function post({ peer }: Scene, body: string): Promise<Json> {
  const answer = await exchange({ url: peer.url, headers: { 'content-type': 'application/json' }, body })
  assert.equal(answer.status, 200)
  assert.ok(answer.body, 'the answer is no JSON')
  return answer.body
}

function codeIn({ error }: Json): unknown {
  return (error as Json | undefined)?.code
}

/** A request that must be refused with a code. */
function refuses(name: string, body: string, code: number): Check {
  return {
    id: `mandatory/jsonrpc/${name}`,
    level: 'MUST',
    title: `is refused with ${code}`,
    on: ['JSONRPC'],
    run: async (scene) => assert.equal(codeIn(await post(scene, body)), code),
  }
}

const send = '"method":"message/send"'
const noParts = '{"kind":"message","messageId":"m","role":"user","parts":"none"}'

/** The envelope of JSON-RPC: mandatory/jsonrpc of TCK 0.3. */
export const rpc: readonly Check[] = [
  refuses('malformed-json', '{"jsonrpc":"2.0","method":"message/send","params":{', -32700),
  refuses('raw-invalid-json', 'this is no json', -32700),
  refuses('wrong-jsonrpc', `{"jsonrpc":"aaa","id":1,${send},"params":{}}`, -32600),
  refuses('no-method', '{"jsonrpc":"2.0","id":1,"params":{}}', -32600),
  refuses('id-is-an-object', `{"jsonrpc":"2.0","id":{"a":1},${send},"params":{}}`, -32600),
  refuses('empty-name-in-params', `{"jsonrpc":"2.0","id":1,${send},"params":{"":"x"}}`, -32602),
  refuses('unknown-method', '{"jsonrpc":"2.0","id":1,"method":"no/such","params":{}}', -32601),
  refuses('parts-is-a-string', `{"jsonrpc":"2.0","id":1,${send},"params":{"message":${noParts}}}`, -32602),
  refuses('message-is-only-a-kind', `{"jsonrpc":"2.0","id":1,${send},"params":{"message":{"kind":"message"}}}`, -32602),
  refuses(
    'no-message-id',
    `{"jsonrpc":"2.0","id":1,${send},"params":{"message":{"kind":"message","role":"user","parts":[{"kind":"text","text":"x"}]}}}`,
    -32602,
  ),
  refuses(
    'no-role',
    `{"jsonrpc":"2.0","id":1,${send},"params":{"message":{"kind":"message","messageId":"m","parts":[{"kind":"text","text":"x"}]}}}`,
    -32602,
  ),
  refuses(
    'no-parts',
    `{"jsonrpc":"2.0","id":1,${send},"params":{"message":{"kind":"message","messageId":"m","role":"user"}}}`,
    -32602,
  ),
  refuses(
    'empty-parts',
    `{"jsonrpc":"2.0","id":1,${send},"params":{"message":{"kind":"message","messageId":"m","role":"user","parts":[]}}}`,
    -32602,
  ),
  {
    id: 'mandatory/jsonrpc/duplicate-request-ids',
    level: 'MUST',
    title: 'two requests of one id are both answered with it',
    on: ['JSONRPC'],
    async run(scene) {
      const body = JSON.stringify({ jsonrpc: '2.0', id: 'twice', method: 'message/send', params: oldSend(scene, {}) })
      for (let at = 0; at < 2; at++) {
        const { id, error, result } = await post(scene, body)
        assert.deepEqual([id, error, (result as Json).kind], ['twice', undefined, 'task'])
      }
    },
  },
]
