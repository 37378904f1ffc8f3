import { defined } from '../lib/defined.ts'
import { newId } from '../lib/ids.ts'
import type { Message, Part, SendMessageRequest } from '../protocol/generated/v1/types.ts'
import type { SendInput, SendOptions } from './options.ts'

function toParts(input: string | Part | readonly (Part | string)[]): readonly Part[] {
  const list = Array.isArray(input) ? (input as readonly (Part | string)[]) : [input as Part | string]
  return list.map((part) => (typeof part === 'string' ? { text: part } : part))
}

/** The request for a send. Throws InvalidParams that names what is wrong with the message, before anything is sent. */
export async function createRequest(input: SendInput, options: SendOptions): Promise<SendMessageRequest> {
  const { validate } = await import('../protocol/validate.ts')
  const given: Partial<Message> =
    typeof input === 'object' && 'parts' in input && Array.isArray(input.parts)
      ? input
      : { parts: toParts(input as Part) }
  const { contextId, taskId, referenceTaskIds } = options
  const message = {
    messageId: newId(),
    role: 'ROLE_USER',
    ...defined({ contextId, taskId, referenceTaskIds }),
    ...given,
  }
  const { acceptedOutputModes, historyLength, taskPushNotificationConfig, metadata } = options
  const configuration = defined({ acceptedOutputModes, historyLength, taskPushNotificationConfig })
  return validate('SendMessageRequest', {
    message,
    ...(Object.keys(configuration).length > 0 && { configuration }),
    ...(metadata !== undefined && { metadata }),
  })
}
