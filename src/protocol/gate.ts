import type { CallContext } from './endpoint.ts'
import { A2AError } from './errors.ts'
import type { AgentCapabilities } from './generated/v1/types.ts'
import type { Operation } from './operations.ts'

/** Refuses what the card does not offer and what a required extension forbids; the check before the parameters are read. */
export type Gate = (operation: Operation, context: Pick<CallContext, 'extensions'>) => void

/** The gate of an agent with these capabilities (§3.3.4). Required extensions are asked for on Send and Stream (AMB-72). */
export function createGate(capabilities: AgentCapabilities): Gate {
  const required = (capabilities.extensions ?? []).flatMap(({ uri, required }) => (required && uri ? [uri] : []))
  return ({ name, needs, request }, context) => {
    if (needs !== undefined && capabilities[needs.capability] !== true) {
      throw new A2AError(
        needs.error,
        `${name} needs the capability ${needs.capability}, which this agent does not declare`,
      )
    }
    if (required.length > 0 && request === 'SendMessageRequest') {
      const missing = required.filter((uri) => !context.extensions.includes(uri))
      if (missing.length > 0) {
        const list = missing.join(',')
        throw new A2AError('ExtensionSupportRequired', `Send the header A2A-Extensions with ${list}`, {
          metadata: { extension: list },
        })
      }
    }
  }
}
