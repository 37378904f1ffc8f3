import { A2AError } from '../protocol/errors.ts'
import type { AgentInterface } from '../protocol/generated/v1/types.ts'
import type { HttpRule } from '../protocol/schema.ts'
import type { WireOperation } from '../protocol/versions/dialect.ts'
import { isDraftAnswer, peerGateway } from '../protocol/versions/v0-3/gateway.ts'
import { losses, peerJsonRpc03, peerOfFiles } from '../protocol/versions/v0-3/peer.ts'
import { wantsNoHistory, withoutHistory } from './no-history.ts'
import { followOld } from './old-stream.ts'
import type { Peer, PeerOptions } from './peer.ts'

/** The peer for an interface of 0.3. */
export async function loadOldPeer(
  { url }: AgentInterface,
  { binding, draft, filesAsText, warn }: PeerOptions,
): Promise<Peer> {
  const isJsonRpc = binding === 'jsonRpc'
  const plain = isJsonRpc ? peerJsonRpc03 : peerOfFiles('rest', filesAsText)
  // Some cards name the place with the version, which the paths name too.
  const isVersioned = /\/v1\/*$/.test(new URL(url).pathname)
  let words = draft === true && isJsonRpc ? peerGateway : plain
  const note = (id: string): void => {
    const loss = losses.find((row) => row.id === id)
    warn(`A2A 0.3 cannot say ${loss?.what ?? id}: ${loss?.outcome ?? ''}`)
  }
  /** Not every card tells that its agent speaks as the drafts do. */
  function learn(answer: unknown): void {
    if (!isJsonRpc || words === peerGateway || !isDraftAnswer(answer)) return
    warn('jsonrpc: the peer answers with the states of the drafts after 0.3; it is called in their words from now on')
    words = peerGateway
  }
  return {
    isOld: true,
    row: (name) => {
      const row = words.of(name)
      if (row !== undefined) return isVersioned ? { ...row, http: row.http.map(withoutVersion) } : row
      const text = `${name} is not part of A2A 0.3, in which this agent is called`
      throw new A2AError('UnsupportedOperation', text)
    },
    request: (row, request) => words.encodeRequest(row as WireOperation, request as never, note),
    async insist(attempt, row, request) {
      try {
        return await attempt()
      } catch (error) {
        const { name } = row.operation
        const isInvalid = A2AError.from(error).code === 'InvalidParams'
        if (name !== 'CreateTaskPushNotificationConfig' || !isInvalid) throw error
        const other = otherPushRequest(words.encodeRequest(row as WireOperation, request as never))
        const result = await attempt(other).catch((second: unknown) => {
          throw vague.has(A2AError.from(second).code) ? error : second
        })
        warn(`http: the peer takes the request for ${name} in another form than that of 0.3`)
        return result
      }
    },
    answer: async (row, input, request) => {
      learn(input)
      const answer = words.decodeAnswer(row as WireOperation, input, warn)
      return wantsNoHistory(request) ? withoutHistory(answer) : answer
    },
    frameReader: async () => (input) => {
      learn(input)
      return words.readFrame(input, warn)
    },
    follow: followOld,
  }
}

function withoutVersion(rule: HttpRule): HttpRule {
  return { ...rule, path: rule.path.replace(/^\/v1/, '') }
}

/** Errors that may tell nothing but that a form was not understood. */
const vague: ReadonlySet<string> = new Set(['InvalidParams', 'InvalidRequest', 'Internal'])

/** A push configuration as the SDKs for JavaScript have it over HTTP+JSON, without what names its task beside it. */
function otherPushRequest(request: object): object {
  const { taskId, config } = request as { readonly taskId: string; readonly config: object }
  return { taskId, ...config }
}
