import type { Path } from '../finding.ts'
import type { ModelWire } from './provider-table.ts'

/** Everything that is needed to call one model. */
export interface ModelSettings {
  /** How people name it: `openai/gpt-5-mini`. */
  readonly label: string
  readonly wire: ModelWire
  /** Name of the provider, built in or defined in the file. */
  readonly provider: string
  /** The model as the provider knows it. */
  readonly model: string
  /** Absent where the wire has its own. */
  readonly baseUrl?: string
  readonly apiKey?: string
  readonly keyHeader?: string
  readonly headers: Readonly<Record<string, string>>
  /** Members added to the body of an OpenAI-compatible request. */
  readonly body: Readonly<Record<string, unknown>>
  readonly temperature?: number
  readonly maxTokens?: number
  readonly topP?: number
  readonly topK?: number
  readonly frequencyPenalty?: number
  readonly presencePenalty?: number
  readonly seed?: number
  readonly thinking?: string | number
  /** Whether it takes images and PDF files. */
  readonly image: boolean
  readonly pdf: boolean
  /** Variables of which one must be set and none is. */
  readonly missingKeys: readonly string[]
  /** Where the file names it. */
  readonly path: Path
}
