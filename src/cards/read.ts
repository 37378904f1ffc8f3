import { A2AError } from '../protocol/errors.ts'
import type { AgentCard } from '../protocol/generated/v1/types.ts'
import { validate } from '../protocol/validate.ts'
import { fromCard03 } from '../protocol/versions/v0-3/card.ts'
import { oldParts, recognizeCard } from './recognize.ts'

/**
 * Reads a card of 1.0, 0.3, 0.2, or of two of them in one, as liberally as its meaning allows: null counts as absent,
 * unknown members are ignored, and REQUIRED fields that are missing or empty are filled with their default, each named
 * once in `warnings` (§5.7). Whatever it was, it becomes a card of 1.0 whose interfaces say their version.
 *
 * Throws InvalidAgentResponse with the path of each field that cannot be read.
 */
export function readCard(json: unknown, { warnings }: { readonly warnings: string[] }): AgentCard {
  try {
    const { shape } = recognizeCard(json)
    const old = shape === '1.0' ? oldParts(json) : []
    if (shape === '1.0' && old.length === 0) {
      return validate('AgentCard', json, { lenient: true, warnings })
    }
    warnings.push(...old)
    return fromCard03(json, (text) => warnings.push(text))
  } catch (error) {
    const { message, violations } = A2AError.from(error)
    throw new A2AError('InvalidAgentResponse', `The agent card cannot be read: ${message}`, {
      violations,
      cause: error,
    })
  }
}
