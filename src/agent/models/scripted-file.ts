import { readFile } from 'node:fs/promises'
import { z } from 'zod'
import { issueText, valueAt } from '../file-schema.ts'
import { AgentFileError, createFindings, type Findings, type Path } from '../finding.ts'
import { parseYaml } from '../yaml-source.ts'

/** One chunk of a scripted answer: its text, after a wait of `delay` milliseconds. */
export interface ScriptedChunk {
  readonly text: string
  readonly delay: number
}

/** When a rule holds; every pattern that is given must match. */
export interface ScriptedWhen {
  readonly text?: RegExp
  readonly system?: RegExp
  readonly tool?: RegExp
  readonly turn?: number
}

/** What the scripted model does. */
export interface ScriptedRule {
  readonly when: ScriptedWhen
  /** How often the rule may be used. */
  readonly times: number
  readonly reasoning: readonly ScriptedChunk[]
  readonly reply: readonly ScriptedChunk[]
  readonly toolCalls: readonly { readonly name: string; readonly arguments: unknown }[]
  readonly error?: {
    readonly status: number
    readonly message: string
    readonly after: number
    readonly retryAfter?: number
  }
  readonly finish?: 'stop' | 'length' | 'content-filter' | 'tool-calls' | 'other'
  /** Never ends after the last chunk, until the call is cancelled. */
  readonly hang: boolean
}

/** A whole script. */
export interface Script {
  readonly file: string
  readonly rules: readonly ScriptedRule[]
}

const delay = z.number().int().min(0).max(3_600_000)
const pattern = z.string().superRefine((text, context) => {
  try {
    new RegExp(text)
  } catch (error) {
    context.addIssue({ code: 'custom', message: `must be a regular expression (${(error as Error).message})` })
  }
})
const chunk = z.union([z.string(), z.strictObject({ text: z.string(), delay: delay.optional() })], {
  error: 'must be a text, or a mapping with text and delay',
})
const chunks = z.union([z.string(), z.array(chunk)], {
  error: 'must be a text or a list of chunks (each a text, or text and delay)',
})

const answer = {
  reply: chunks.optional(),
  reasoning: chunks.optional(),
  delay: delay.optional(),
  tool_calls: z
    .array(z.strictObject({ name: z.string().min(1), arguments: z.record(z.string(), z.unknown()).optional() }))
    .optional(),
  error: z
    .strictObject({
      status: z.number().int().min(400).max(599),
      message: z.string().optional(),
      after: z.number().int().min(0).optional(),
      retry_after: z.number().min(0).optional(),
    })
    .optional(),
  finish: z.enum(['stop', 'length', 'content-filter', 'tool-calls', 'other']).optional(),
  hang: z.boolean().optional(),
}

const rule = z.strictObject({
  when: z
    .strictObject({
      text: pattern.optional(),
      system: pattern.optional(),
      tool: pattern.optional(),
      turn: z.number().int().min(1).optional(),
    })
    .optional(),
  times: z.number().int().min(1).optional(),
  ...answer,
})

const scriptFile = z.strictObject({ rules: z.array(rule).optional(), default: z.strictObject(answer).optional() })

type RuleSection = z.infer<typeof rule>

/**
 * Reads the script of a scripted model. `rules` are tried in order, `default` last:
 *
 * ```yaml
 * rules:
 *   - when: { text: "weather in (\\w+)", turn: 1, system: forecast, tool: lookup }
 *     times: 1                       # how often the rule may be used; default: any number
 *     reasoning: Let me think.       # thinking, which is no part of the answer
 *     reply: ["Sunny ", { text: "in {{1}}.", delay: 200 }]
 *     delay: 20                      # milliseconds before each chunk without its own
 *   - when: { text: slow down }
 *     error: { status: 429, message: too fast, retry_after: 1, after: 0 }   # after that many chunks
 *   - when: { text: wait }
 *     hang: true                     # never ends
 * default:
 *   reply: "You said: {{text}}"
 *   finish: stop                     # or length, content-filter, tool-calls, other
 * ```
 *
 * Patterns are regular expressions without regard to case: `text` looks at the last user message, `system` at the system
 * prompt, `tool` at the name of the tool whose result came last. `{{text}}`, `{{turn}}` and `{{1}}` to `{{9}}` (groups of
 * `text`) are filled in. Errors are `AgentFileError`s with line and column.
 */
export async function readScript(path: string): Promise<Script> {
  let text: string
  try {
    text = await readFile(path, 'utf8')
  } catch (error) {
    const reason =
      (error as NodeJS.ErrnoException).code === 'ENOENT' ? 'there is no such file' : (error as Error).message
    throw new AgentFileError([
      { severity: 'error', file: path, line: 1, column: 1, path: '', message: `cannot be read as a script: ${reason}` },
    ])
  }
  const source = parseYaml(text, path)
  const findings = createFindings(path, (at) => source.at(at))
  const result = scriptFile.safeParse(source.value ?? {})
  if (!result.success) for (const issue of result.error.issues) reportIssue(issue, source.value, findings)
  else if (result.data.rules === undefined && result.data.default === undefined)
    findings.error([], 'a script needs rules or a default')
  if (findings.list.length > 0 || !result.success) throw new AgentFileError(findings.list)
  const { rules = [], default: last } = result.data
  return { file: path, rules: [...rules, ...(last === undefined ? [] : [last])].map(ruleOf) }
}

function reportIssue(issue: z.core.$ZodIssue, value: unknown, findings: Findings): void {
  if (issue.code !== 'unrecognized_keys') {
    findings.error(issue.path as Path, issueText(issue, valueAt(value, issue.path)))
    return
  }
  const known = issue.path.length === 0 ? Object.keys(scriptFile.shape) : knownKeys(issue.path)
  for (const key of issue.keys)
    findings.error([...(issue.path as Path), key], `unknown key; known here: ${known.join(', ')}`)
}

function knownKeys(path: readonly PropertyKey[]): readonly string[] {
  if (path.at(-1) === 'when') return ['text', 'system', 'tool', 'turn']
  if (path.at(-1) === 'error') return ['status', 'message', 'after', 'retry_after']
  if (path.includes('tool_calls')) return ['name', 'arguments']
  return path[0] === 'default' ? Object.keys(answer) : Object.keys(rule.shape)
}

function ruleOf(section: RuleSection): ScriptedRule {
  const { when = {}, error, finish, delay: wait = 0 } = section
  return {
    when: {
      ...(when.text !== undefined && { text: new RegExp(when.text, 'i') }),
      ...(when.system !== undefined && { system: new RegExp(when.system, 'i') }),
      ...(when.tool !== undefined && { tool: new RegExp(when.tool, 'i') }),
      ...(when.turn !== undefined && { turn: when.turn }),
    },
    times: section.times ?? Number.POSITIVE_INFINITY,
    reasoning: chunksOf(section.reasoning, wait),
    reply: chunksOf(section.reply, wait),
    toolCalls: (section.tool_calls ?? []).map((call) => ({ name: call.name, arguments: call.arguments ?? {} })),
    ...(error !== undefined && {
      error: {
        status: error.status,
        message: error.message ?? 'scripted error',
        after: error.after ?? 0,
        ...(error.retry_after !== undefined && { retryAfter: error.retry_after }),
      },
    }),
    ...(finish !== undefined && { finish }),
    hang: section.hang ?? false,
  }
}

function chunksOf(given: RuleSection['reply'], wait: number): readonly ScriptedChunk[] {
  if (given === undefined) return []
  return (typeof given === 'string' ? [given] : given).map((each) =>
    typeof each === 'string' ? { text: each, delay: wait } : { text: each.text, delay: each.delay ?? wait },
  )
}
