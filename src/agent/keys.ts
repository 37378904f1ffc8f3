/** What becomes of a key: it is used; it is allowed but changes nothing; or serving stops, as ignoring it would be unsafe. */
export type KeyNote =
  | { readonly mark: 'used' }
  | { readonly mark: 'ignored'; readonly why: string }
  | { readonly mark: 'refused'; readonly why: string }

/** Keys of one kind of mapping. */
export type KeyTable = Readonly<Record<string, KeyNote>>

const used: KeyNote = { mark: 'used' }
const ignored = (why: string): KeyNote => ({ mark: 'ignored', why })
const refused = (why: string): KeyNote => ({ mark: 'refused', why })

function all(note: KeyNote, keys: string): KeyTable {
  return Object.fromEntries(keys.split(' ').map((key) => [key, note]))
}

const limits = ignored('limits on tokens and cost are not enforced')
const compaction = ignored('conversations are not compacted; num_history_items limits what the model sees')
const toolLimits = ignored('it limits tool calls, and no tools are available')

/** Top level of an agent file. */
export const fileKeys: KeyTable = {
  ...all(used, 'version agents models providers commands permissions metadata runtime'),
  mcps: ignored('MCP servers are not started, so their tools are absent'),
  toolsets: ignored('named toolsets are not built, so their tools are absent'),
  budget: limits,
  budgets: limits,
  flavors: ignored('flavours are not supported'),
  rag: ignored('retrieval is not supported'),
  skills: ignored('skills from files are not supported'),
  env: refused(
    'variables cannot be set in the file: set them in the environment or in a file given with --env-from-file',
  ),
}

/** `metadata`. */
export const metadataKeys: KeyTable = all(used, 'author version description tags license readme')

/** `runtime`. */
export const runtimeKeys: KeyTable = {
  safety: used,
  sandbox: refused('running in a sandbox is not supported: remove the key, or run Parlance in a container of your own'),
  network_allowlist: ignored('network access is not limited by the file'),
}

/** `permissions`. */
export const permissionKeys: KeyTable = all(used, 'allow ask deny')

/** An entry of `agents`. Toolsets, sub-agents and hooks get findings of their own. */
export const agentKeys: KeyTable = {
  ...all(used, 'model description instruction instruction_file welcome_message commands use_commands add_date'),
  ...all(used, 'add_environment_info num_history_items max_iterations structured_output fallback safety'),
  ...all(used, 'toolsets sub_agents handoffs hooks harness'),
  use_toolsets: ignored('named toolsets are not built, so their tools are absent'),
  add_prompt_files: ignored('prompt files are not read: use instruction_file'),
  add_prompt_files_depth: ignored('prompt files are not read: use instruction_file'),
  readonly: ignored('it limits tools, and no tools are available'),
  budgets: limits,
  max_consecutive_tool_calls: toolLimits,
  max_old_tool_call_tokens: toolLimits,
  max_tool_result_tokens: toolLimits,
  force_handoff: ignored('handoffs are not available'),
  redact_secrets: ignored('texts are not searched for secrets'),
  session_compaction: compaction,
  compaction_threshold: compaction,
  compaction_model: compaction,
  add_description_parameter: toolLimits,
  code_mode_tools: toolLimits,
  cache: ignored('answers are not cached'),
  skills: ignored('skills from files are not supported'),
  use_skills: ignored('skills from files are not supported'),
  rag: ignored('retrieval is not supported'),
}

/** `hooks` of an agent. */
export const hookKeys: KeyTable = {
  pre_tool_use: refused('this hook decides which tools may run and is not supported: remove it, or use permissions'),
  permission_request: refused(
    'this hook decides which tools may run and is not supported: remove it, or use permissions',
  ),
  ...all(
    ignored('hooks do not run'),
    'post_tool_use session_start user_prompt_submit user_steering_messages_submit user_followup_submit turn_start turn_end ' +
      'before_llm_call after_llm_call session_end pre_compact subagent_stop on_user_input stop notification on_error ' +
      'on_max_iterations on_agent_switch on_session_resume on_tool_approval_decision before_compaction after_compaction ' +
      'tool_response_transform worktree_create',
  ),
}

/** `structured_output` of an agent. */
export const structuredOutputKeys: KeyTable = {
  ...all(used, 'name description strict schema'),
  mode: used,
}

/** `fallback` of an agent. */
export const fallbackKeys: KeyTable = all(used, 'models retries cooldown')

/** One command. */
export const commandKeys: KeyTable = {
  ...all(used, 'description instruction'),
  agent: ignored('the command runs on the agent that is served'),
  url: ignored('commands from a URL are not read: write an instruction'),
}

const samplingKeys: KeyTable = all(
  used,
  'provider temperature max_tokens top_p frequency_penalty presence_penalty base_url token_key parallel_tool_calls provider_opts thinking_budget',
)
const signIn = ignored('signing in by workload identity is not supported: use token_key')

/** An entry of `models`. */
export const modelKeys: KeyTable = {
  ...samplingKeys,
  ...all(used, 'model first_available capabilities'),
  description: used,
  track_usage: ignored('usage is not tracked'),
  cost: ignored('costs are not counted'),
  routing: ignored('routing by examples is not supported: the model itself answers'),
  title_model: ignored('conversations get no titles'),
  compaction_model: compaction,
  compaction_threshold: compaction,
  task_budget: limits,
  bypass_models_gateway: ignored('no models gateway is used'),
  auth: signIn,
  env: refused(
    'variables cannot be set in the file: set them in the environment or in a file given with --env-from-file',
  ),
}

/** `capabilities` of a model. */
export const capabilityKeys: KeyTable = all(used, 'image pdf')

/** An entry of `providers`. */
export const providerKeys: KeyTable = {
  ...samplingKeys,
  api_type: used,
  track_usage: ignored('usage is not tracked'),
  task_budget: limits,
  auth: signIn,
  unload_api: ignored('models are not unloaded'),
  compaction_model: compaction,
}

const ownToolsetKeys: Readonly<Record<string, string>> = {
  think: 'shared',
  todo: 'shared',
  a2a: 'url headers allow_private_ips',
  mcp: 'command args env remote ref config version working_dir lifecycle',
  fetch: 'allowed_domains blocked_domains headers allow_private_ips',
  filesystem: 'allow_list deny_list ignore_vcs post_edit',
  shell: 'env sudo_askpass safer',
  script: 'shell',
  api: 'api_config',
  openapi: 'url headers allow_private_ips',
  memory: 'path',
  user_prompt: '',
  background_agents: '',
  tasks: 'path',
  plan: 'path',
  session_plan: 'path',
  session_context: 'path',
  datetime: '',
  calculator: '',
  random: '',
  git: '',
  file: '',
  background_jobs: 'recall',
  webhook: 'webhook_config',
  scheduler: '',
  model_picker: 'models',
  mcp_catalog: 'allowed_servers blocked_servers',
  rag: 'ref rag_config',
  lsp: 'command args env file_types',
  open_url: 'url',
}

/** The types of toolsets that the schema knows. */
export const toolsetTypes: readonly string[] = Object.keys(ownToolsetKeys)

/** Keys of a toolset of one type; those of every type together when the type is unknown. */
export function toolsetKeys(type: unknown): KeyTable {
  const own = ownToolsetKeys[String(type)] ?? Object.values(ownToolsetKeys).join(' ')
  const common = 'type instruction tools readonly defer model toon name timeout'
  return {
    ...all(used, `${common} ${own}`.trim()),
    env_file: refused('variables of a toolset cannot come from a file named here: use --env-from-file'),
  }
}
