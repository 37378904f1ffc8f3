import type { HttpRequest } from '../lib/http.ts'
import type { AgentCard } from '../protocol/generated/v1/types.ts'
import type { Profile } from '../protocol/profiles.ts'
import { majorMinor } from '../protocol/version-text.ts'
import type { Note } from '../protocol/versions/dialect.ts'
import { mergeCard03, toCard03 } from '../protocol/versions/v0-3/card.ts'

/** The form of a card: of one version, or of both in one document. */
export type CardShape = Profile['cardShape']

/** Where cards were before 0.3; who asks there knows no later form. */
const oldPath = '/.well-known/agent.json'

/** The form in which a card is asked for: that of the version that is named, else that of the path, else `usual` (AMB-62). */
export function askedShape({ headers, path }: HttpRequest, usual: CardShape): CardShape {
  const version = majorMinor(headers['a2a-version']?.trim() ?? '')
  if (version === '1.0' || version === '0.3') return version
  return usual === '1.0' && path.endsWith(oldPath) ? '0.3' : usual
}

/** A card in a form. One that nobody of 0.3 can use, as it lists no interface for them, stays in the form of 1.0. */
export function inShape(card: AgentCard, shape: CardShape, note: Note): object {
  if (shape === '1.0' || !card.supportedInterfaces.some(isOld)) return card
  return shape === '0.3' ? toCard03(card, 'json', note) : mergeCard03(card, note)
}

function isOld({ protocolVersion, tenant = '' }: AgentCard['supportedInterfaces'][number]): boolean {
  return protocolVersion === '0.3' && tenant === ''
}
