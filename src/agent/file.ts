/** What an agent file says, after its shape was checked. Keys are those of the file; keys that nothing here uses are not listed. */
export interface AgentFile {
  readonly version?: string | number | undefined
  readonly agents: Readonly<Record<string, AgentSection>>
  readonly models?: Readonly<Record<string, ModelSection>> | null | undefined
  readonly providers?: Readonly<Record<string, ProviderSection>> | null | undefined
  readonly commands?: Readonly<Record<string, Commands>> | null | undefined
  readonly metadata?: MetadataSection | null | undefined
  readonly runtime?: { readonly safety?: string | undefined; readonly sandbox?: unknown } | null | undefined
}

/** `metadata` of a file: what the card says about its origin. */
export interface MetadataSection {
  readonly author?: string | undefined
  readonly version?: string | number | undefined
  readonly description?: string | undefined
  readonly tags?: readonly string[] | undefined
}

/** One entry of `agents`. */
export interface AgentSection {
  readonly model?: string | undefined
  readonly description?: string | undefined
  readonly instruction?: string | undefined
  readonly instruction_file?: string | readonly string[] | undefined
  readonly welcome_message?: string | undefined
  readonly commands?: Commands | null | undefined
  readonly use_commands?: string | readonly string[] | undefined
  readonly add_date?: boolean | undefined
  readonly add_environment_info?: boolean | undefined
  readonly num_history_items?: number | undefined
  readonly max_iterations?: number | undefined
  readonly structured_output?: StructuredOutput | undefined
  readonly fallback?: FallbackSection | undefined
  readonly safety?: string | undefined
  readonly toolsets?: readonly Readonly<Record<string, unknown>>[] | null | undefined
  readonly sub_agents?: readonly string[] | null | undefined
  readonly handoffs?: readonly string[] | null | undefined
  readonly hooks?: Readonly<Record<string, unknown>> | null | undefined
  readonly harness?: unknown
}

/** A command: its instruction, or more about it. */
export type Command =
  | string
  | {
      readonly description?: string | undefined
      readonly instruction?: string | undefined
      readonly agent?: string | undefined
      readonly url?: string | undefined
    }

/** `commands` in either of its two forms. */
export type Commands = Readonly<Record<string, Command>> | readonly Readonly<Record<string, Command>>[]

/** `structured_output`: the answer is JSON of this schema. */
export interface StructuredOutput {
  readonly name?: string | undefined
  readonly description?: string | undefined
  readonly strict?: boolean | undefined
  readonly schema: Readonly<Record<string, unknown>>
  readonly mode?: string | undefined
}

/** `fallback`: what to do when the model fails. */
export interface FallbackSection {
  readonly models?: readonly string[] | undefined
  readonly retries?: number | undefined
  readonly cooldown?: string | undefined
}

/** Settings that a model and a provider share. */
export interface SamplingSection {
  readonly temperature?: number | undefined
  readonly max_tokens?: number | undefined
  readonly top_p?: number | undefined
  readonly frequency_penalty?: number | undefined
  readonly presence_penalty?: number | undefined
  readonly base_url?: string | undefined
  readonly token_key?: string | undefined
  readonly parallel_tool_calls?: boolean | undefined
  readonly thinking_budget?: string | number | undefined
  readonly provider_opts?: Readonly<Record<string, unknown>> | null | undefined
}

/** One entry of `models`. */
export interface ModelSection extends SamplingSection {
  readonly provider?: string | undefined
  readonly model?: string | undefined
  readonly first_available?: readonly string[] | undefined
  readonly capabilities?: { readonly image?: boolean | undefined; readonly pdf?: boolean | undefined } | undefined
}

/** One entry of `providers`. */
export interface ProviderSection extends SamplingSection {
  readonly provider?: string | undefined
  readonly api_type?: string | undefined
}
