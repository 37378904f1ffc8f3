import { shownUrl } from '../../bindings/fetch-call.ts'
import { readCard } from '../../cards/read.ts'
import { recognizeCard } from '../../cards/recognize.ts'
import { selectInterfaces } from '../../cards/select.ts'
import { createCredentials } from '../../client/credentials.ts'
import { discover, toUrl } from '../../client/discover.ts'
import { A2AError } from '../../protocol/errors.ts'
import type { AgentCard } from '../../protocol/generated/v1/types.ts'
import { protocolVersion } from '../../protocol/schema.ts'
import { validate } from '../../protocol/validate.ts'
import { cardLines } from '../card-view.ts'
import { type AgentFlags, connectOptions } from '../connection.ts'
import { exitCodes } from '../exit-codes.ts'
import type { Output } from '../output.ts'

/** `parlance card`: shows what an agent says about itself, and what strict readers would reject in it. */
export async function card(url: string, flags: AgentFlags, output: Output): Promise<number> {
  const { target, options } = connectOptions(url, flags)
  const warn = (text: string): void => output.warn(text)
  const address = toUrl(target.url)
  const credentials = createCredentials(options, warn)
  credentials.trust(address.href)
  const transport = { headers: credentials.headers, warn, ...(options.limits && { limits: options.limits }) }
  const found = await discover(address, { transport, cache: undefined, warn })
  if (output.json) {
    await output.document(found.json)
    return exitCodes.ok
  }
  const notes: string[] = []
  const read = readCard(found.json, { warnings: notes })
  const { shape } = recognizeCard(found.json)
  await output.lines(cardLines(read, { url: shownUrl(found.url), shape, colors: output.out }))
  if (shape === '0.3') for (const text of notes) output.warn(`card: ${text}`)
  else for (const text of strictProblems(found.json)) output.warn(`a strict reader rejects this card: ${text}`)
  for (const text of interfaceProblems(read, found.url)) output.warn(text)
  return exitCodes.ok
}

/** What is odd about the interfaces of a card, and whether any of them can be used here. */
export function interfaceProblems(read: AgentCard, cardUrl: string): readonly string[] {
  const warnings: string[] = []
  try {
    selectInterfaces(read, {
      bindings: ['JSONRPC', 'HTTP+JSON', 'GRPC'],
      versions: [protocolVersion, '0.3'],
      cardUrl,
      warnings,
    })
  } catch (error) {
    warnings.push(A2AError.from(error).message)
  }
  return warnings
}

/** What keeps a card from being valid, each with its field. */
export function strictProblems(json: unknown): readonly string[] {
  try {
    validate('AgentCard', json)
    return []
  } catch (error) {
    if (!A2AError.is(error)) throw error
    const texts = error.violations.map(({ field, description }) => `${field}: ${description}`)
    return texts.length > 0 ? texts : [error.message]
  }
}
