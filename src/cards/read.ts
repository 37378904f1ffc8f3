import { A2AError } from '../protocol/errors.ts'
import type { AgentCard } from '../protocol/generated/v1/types.ts'
import { validate } from '../protocol/validate.ts'
import { legacyOffer } from './recognize.ts'

/**
 * Reads a card as liberally as its meaning allows: null counts as absent, unknown members are ignored, and REQUIRED
 * fields that are missing or empty are filled with their default, each named once in `warnings` (§5.7).
 *
 * Throws VersionNotSupported for a card of before 1.0, InvalidAgentResponse with the path of each field that cannot be read.
 */
export function readCard(json: unknown, { warnings }: { readonly warnings: string[] }): AgentCard {
  const offer = legacyOffer(json)
  if (offer !== undefined) {
    const text = `This agent offers ${offer}; A2A 1.0 is spoken here. Ask its owner for an interface of version 1.0`
    throw new A2AError('VersionNotSupported', text, { metadata: { supportedVersions: '1.0' } })
  }
  try {
    return validate('AgentCard', json, { lenient: true, warnings })
  } catch (error) {
    const { message, violations } = A2AError.from(error)
    throw new A2AError('InvalidAgentResponse', `The agent card cannot be read: ${message}`, {
      violations,
      cause: error,
    })
  }
}
