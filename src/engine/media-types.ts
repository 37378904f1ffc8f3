import { parseMediaType } from '../lib/media-type.ts'
import { A2AError } from '../protocol/errors.ts'
import type { Part } from '../protocol/generated/v1/types.ts'
import type { Agent } from './executor.ts'

/** Whether a media type is one of a list, parameters aside; ranges such as `text/*` count. */
export function takesMediaType(list: readonly string[], mediaType: string): boolean {
  const wanted = parseMediaType(mediaType).type
  return list.some((entry) => {
    const pattern = parseMediaType(entry).type
    if (pattern === wanted || pattern === '*/*' || pattern === '*') return true
    return pattern.endsWith('/*') && wanted.startsWith(pattern.slice(0, -1))
  })
}

/** Refuses parts whose stated media type neither the agent nor one of its skills takes (§3.1.1). */
export function checkMediaTypes(agent: Agent, parts: readonly Part[]): void {
  for (const [index, { mediaType }] of parts.entries()) {
    if (mediaType === undefined) continue
    const lists = [agent.inputModes, ...agent.skills.map((skill) => skill.inputModes ?? [])]
    if (lists.some((list) => takesMediaType(list, mediaType))) continue
    const taken = [...new Set(lists.flat())].join(', ')
    throw new A2AError('ContentTypeNotSupported', `The agent does not take ${mediaType}; it takes ${taken}`, {
      metadata: { mediaType, supported: taken },
      violations: [{ field: `message.parts[${index}].mediaType`, description: `use one of: ${taken}` }],
    })
  }
}
