import { networkReason, noRunnerText } from './failure.ts'
import type { ModelSettings } from './settings.ts'

const longestWait = 1_000

/** Asks a model runner whether it listens and has a model; the text says what to do when not, undefined when all is well. */
export async function probeRunner(
  settings: ModelSettings,
  fetch: typeof globalThis.fetch,
): Promise<string | undefined> {
  let list: unknown
  try {
    const response = await fetch(`${settings.baseUrl}/models`, { signal: AbortSignal.timeout(longestWait) })
    if (!response.ok) {
      await response.body?.cancel()
      return undefined
    }
    list = await response.json()
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    return noRunnerText(settings, networkReason(error))
  }
  const ids = namesOf(list)
  if (ids.length === 0 || ids.some((id) => sameModel(id, settings.model))) return undefined
  return `The model runner does not have ${settings.model}. Fetch it with: docker model pull ${settings.model}`
}

function namesOf(list: unknown): readonly string[] {
  const data = (list as { data?: unknown } | null)?.data
  if (!Array.isArray(data)) return []
  return data.map((entry) => (entry as { id?: unknown } | null)?.id).filter((id) => typeof id === 'string')
}

function sameModel(listed: string, wanted: string): boolean {
  const full = (name: string): string => {
    const short = name.replace(/^(docker\.io|index\.docker\.io)\//, '')
    return /:[^/]*$/.test(short) ? short : `${short}:latest`
  }
  return full(listed) === full(wanted)
}
