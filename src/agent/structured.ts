import { z } from 'zod'
import type { JsonValue } from '../lib/json.ts'
import type { StructuredOutput } from './file.ts'
import type { ResponseFormat } from './models/language-model.ts'

/** An answer that must be JSON. */
export interface StructuredPlan {
  readonly format: ResponseFormat
  readonly strict: boolean
  /** What is wrong with a value; undefined when it fits the schema. */
  check(value: unknown): string | undefined
}

/** Reads `structured_output`. A schema that cannot be turned into a check is still sent to the model. */
export function readStructured(section: StructuredOutput): StructuredPlan {
  const { schema, name, description, strict = false } = section
  return {
    format: {
      type: 'json',
      schema: schema as NonNullable<Extract<ResponseFormat, { type: 'json' }>['schema']>,
      ...(name !== undefined && { name: name.replace(/[^A-Za-z0-9_-]+/g, '_').slice(0, 64) }),
      ...(description !== undefined && { description }),
    },
    strict,
    check: checkOf(schema),
  }
}

function checkOf(schema: StructuredOutput['schema']): StructuredPlan['check'] {
  try {
    const type = z.fromJSONSchema(schema as Parameters<typeof z.fromJSONSchema>[0])
    return (value) => {
      const result = type.safeParse(value)
      if (result.success) return undefined
      const issue = result.error.issues[0]!
      return `${issue.path.length === 0 ? 'the value' : issue.path.join('.')}: ${issue.message}`
    }
  } catch {
    return () => undefined
  }
}

/** A JSON answer, or what is wrong with it. */
export type StructuredAnswer = { readonly value: JsonValue } | { readonly wrong: string }

/** Reads the JSON of an answer; a fence of Markdown around it is allowed. */
export function readAnswer(text: string, plan: StructuredPlan): StructuredAnswer {
  const fenced = /^\s*```(?:json)?\s*\n([\s\S]*?)\n?```\s*$/.exec(text)
  let value: JsonValue
  try {
    value = JSON.parse(fenced?.[1] ?? text) as JsonValue
  } catch {
    return { wrong: 'The model was asked for JSON and gave text that is not valid JSON' }
  }
  const wrong = plan.check(value)
  return wrong === undefined
    ? { value }
    : { wrong: `The model gave JSON that does not fit the schema of the agent (${wrong})` }
}
