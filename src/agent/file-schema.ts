import { z } from 'zod'
import type { AgentFile } from './file.ts'
import type { Findings, Path } from './finding.ts'

const name = z.string().min(1)
const names = z.array(name)
const probability = z.number().min(0).max(1)
const penalty = z.number().min(-2).max(2)
const oneOrMore = z.union([name, names], { error: 'must be a text or a list of texts' })
const text = z.string()
const count = z.number().int().min(0)
const safety = z.enum(['strict', 'balanced', 'restricted', 'autonomous'])

const sampling = {
  temperature: z.number().min(0).max(2).optional(),
  max_tokens: z.number().int().min(1).optional(),
  top_p: probability.optional(),
  frequency_penalty: penalty.optional(),
  presence_penalty: penalty.optional(),
  base_url: name.optional(),
  token_key: z
    .string()
    .regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'must be the name of an environment variable, not the key itself')
    .optional(),
  parallel_tool_calls: z.boolean().optional(),
  thinking_budget: z
    .union([z.string(), z.number().int().min(-1)], {
      error: 'must be none, minimal, low, medium, high, max, adaptive, a number of tokens, or -1',
    })
    .optional(),
  provider_opts: z.record(z.string(), z.unknown()).nullish(),
}

const model = z.looseObject({
  ...sampling,
  provider: name.optional(),
  model: name.optional(),
  first_available: names.min(1).optional(),
  capabilities: z.looseObject({ image: z.boolean().optional(), pdf: z.boolean().optional() }).optional(),
})

const provider = z.looseObject({
  ...sampling,
  provider: name.optional(),
  api_type: z.enum(['openai_chatcompletions', 'openai_responses']).optional(),
})

const command = z.union(
  [
    z.string(),
    z.looseObject({
      description: text.optional(),
      instruction: text.optional(),
      agent: text.optional(),
      url: text.optional(),
    }),
  ],
  { error: 'must be a text, or a mapping with description and instruction' },
)
const commands = z.union([z.record(z.string(), command), z.array(z.record(z.string(), command))], {
  error: 'must map names to commands: each command a text, or a mapping with description and instruction',
})

const agent = z.looseObject({
  model: name.optional(),
  description: text.optional(),
  instruction: text.optional(),
  instruction_file: oneOrMore.optional(),
  welcome_message: text.optional(),
  commands: commands.nullish(),
  use_commands: oneOrMore.optional(),
  add_date: z.boolean().optional(),
  add_environment_info: z.boolean().optional(),
  num_history_items: count.optional(),
  max_iterations: count.optional(),
  structured_output: z
    .looseObject({
      name: text.optional(),
      description: text.optional(),
      strict: z.boolean().optional(),
      schema: z.record(z.string(), z.unknown()),
      mode: z.enum(['native', 'tool']).optional(),
    })
    .optional(),
  fallback: z
    .looseObject({
      models: names.optional(),
      retries: z.number().int().min(-1).optional(),
      cooldown: z
        .string()
        .regex(/^(\d+(\.\d+)?(ms|s|m|h))+$/, 'must be a duration such as 30s, 1m or 1h30m')
        .optional(),
    })
    .optional(),
  safety: safety.optional(),
  toolsets: z.array(z.record(z.string(), z.unknown())).nullish(),
  sub_agents: names.nullish(),
  handoffs: names.nullish(),
  hooks: z.record(z.string(), z.unknown()).nullish(),
})

const patterns = names.nullish()

const agentFile = z.looseObject({
  version: z.union([z.string(), z.number()], { error: 'must be a schema version, 0 to 16' }).optional(),
  agents: z.record(z.string(), agent),
  models: z.record(z.string(), model).nullish(),
  providers: z.record(z.string(), provider).nullish(),
  commands: z.record(z.string(), commands).nullish(),
  metadata: z
    .looseObject({
      author: text.optional(),
      version: z.union([text, z.number()], { error: 'must be a text, such as "1.0.0"' }).optional(),
      description: text.optional(),
      tags: names.optional(),
    })
    .nullish(),
  permissions: z.looseObject({ allow: patterns, ask: patterns, deny: patterns }).nullish(),
  runtime: z.looseObject({ safety: safety.optional(), sandbox: z.boolean().optional() }).nullish(),
})

/** Checks the shape of every key that Parlance uses; undefined when something was wrong. */
export function checkShape(value: unknown, findings: Findings): AgentFile | undefined {
  const result = agentFile.safeParse(value)
  if (result.success) return result.data as AgentFile
  for (const issue of result.error.issues) {
    // Someone who writes the key itself instead of its name must not find it in a log.
    const given = issue.path.at(-1) === 'token_key' ? undefined : valueAt(value, issue.path)
    findings.error(issue.path as Path, issueText(issue, given))
  }
  return undefined
}

/** A validation issue as a sentence that goes after the name of the field. */
export function issueText(issue: z.core.$ZodIssue, given: unknown): string {
  switch (issue.code) {
    case 'invalid_type':
      return given === undefined
        ? `is missing: it must be ${kindOf(issue.expected)}`
        : `must be ${kindOf(issue.expected)}, is ${shown(given)}`
    case 'invalid_value':
      return `must be one of ${issue.values.join(', ')}, is ${shown(given)}`
    case 'too_small':
      return issue.origin === 'string' || issue.origin === 'array'
        ? 'must not be empty'
        : `must be at least ${issue.minimum}, is ${shown(given)}`
    case 'too_big':
      return `must be at most ${issue.maximum}, is ${shown(given)}`
    case 'unrecognized_keys':
      return `does not know ${issue.keys.join(', ')}`
    default:
      return `${issue.message}${given === undefined ? '' : `, is ${shown(given)}`}`
  }
}

/** The value at a path of plain data. */
export function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  let here = value
  for (const step of path) {
    if (here === null || typeof here !== 'object') return undefined
    here = (here as Record<PropertyKey, unknown>)[step]
  }
  return here
}

function kindOf(expected: string): string {
  const kinds: Record<string, string> = {
    string: 'a text',
    number: 'a number',
    int: 'a whole number',
    boolean: 'true or false',
    array: 'a list',
    object: 'a mapping',
    record: 'a mapping',
  }
  return kinds[expected] ?? expected
}

function shown(value: unknown): string {
  if (Array.isArray(value)) return 'a list'
  if (value !== null && typeof value === 'object') return 'a mapping'
  const written = value === null ? 'empty' : JSON.stringify(value)
  return written.length > 60 ? `${written.slice(0, 57)}...` : written
}
