import { type Compiled, createCompiler, readMessage } from './compile.ts'
import { invalidParams } from './errors.ts'
import type { Messages } from './generated/v1/types.ts'
import { fail, prefix, type Reading, violations, warningTexts } from './reader.ts'
import type { Tables } from './schema.ts'
import { tables } from './tables.ts'

export interface ValidateOptions {
  /** Levels of objects and arrays, 1 to 1,000; 64 unless told otherwise. */
  readonly maxDepth?: number
  /** Parts in one message or artifact; 1,000 unless told otherwise, no limit for a lenient reader. */
  readonly maxParts?: number
  /**
   * For reading what another program answered: REQUIRED fields that are missing or empty become warnings and get their
   * default, unknown enum names count as unspecified.
   */
  readonly lenient?: boolean
  /** Receives what a lenient reader let pass, one text each. */
  readonly warnings?: string[]
  /** Fields that the path of the request gives, by JSON name; the input cannot overrule them (§11.5). */
  readonly path?: Readonly<Record<string, string>>
}

/** Reads the messages of one version; `M` are its types by name. */
export interface Validator<M> {
  /**
   * Checks a message that came from outside and gives its canonical form: the same object when it already has that
   * form, else a copy with camelCase names, enum names, standard base64, UTC times, and without what is unknown, null
   * or default. Missing input counts as `{}`.
   *
   * Throws `InvalidParams` with a violation for each field that breaks a rule (§5.5, §5.6, §5.7).
   */
  validate<T extends keyof M & string>(type: T, input: unknown, options?: ValidateOptions): M[T]
  /**
   * The same for a query string: every value is text, names are camelCase or snake_case, names of no field are ignored
   * (§11.5).
   */
  validateQuery<T extends keyof M & string>(type: T, query: URLSearchParams, options?: ValidateOptions): M[T]
}

/** The readers of one version's messages; each type is prepared once, when it is first read. */
export function createValidator<M>(of: Tables): Validator<M> {
  const compile = createCompiler(of)
  return {
    validate: (type, input, options = {}) => {
      const compiled = compile(type)
      return finish(compiled, withPath(compiled, input, options.path), { reading: createReading(options), options })
    },
    validateQuery: (type, query, options = {}) => {
      const compiled = compile(type)
      const reading = createReading(options)
      const input = readQuery(compiled, query, reading)
      return finish(compiled, withPath(compiled, input, options.path), { reading, options })
    },
  }
}

const version1: Validator<Messages> = createValidator(tables)

/** Checks a message of 1.0 and gives its canonical form; see `Validator`. */
export const validate: Validator<Messages>['validate'] = version1.validate

/** Checks a message of 1.0 that a query string holds; see `Validator`. */
export const validateQuery: Validator<Messages>['validateQuery'] = version1.validateQuery

function createReading(options: ValidateOptions): Reading {
  const lenient = options.lenient ?? false
  return {
    maxDepth: Math.min(options.maxDepth ?? 64, 1000),
    maxParts: options.maxParts ?? (lenient ? Number.POSITIVE_INFINITY : 1000),
    lenient,
    notes: [],
    errors: 0,
  }
}

function finish<T>(
  type: Compiled,
  input: unknown,
  { reading, options }: { reading: Reading; options: ValidateOptions },
): T {
  const result = readMessage(type, input, { reading, depth: 1 })
  if (reading.notes.length > 0) {
    if (reading.errors > 0) throw invalidParams(violations(reading))
    options.warnings?.push(...warningTexts(reading))
  }
  return result as T
}

function withPath(type: Compiled, input: unknown, path: ValidateOptions['path']): unknown {
  if (path === undefined) return input === undefined ? {} : input
  if (input !== undefined && input !== null && (typeof input !== 'object' || Array.isArray(input))) return input
  const { slots } = type
  const rest = Object.entries(input ?? {}).filter(([name]) => !Object.hasOwn(path, slots.get(name)?.json ?? ''))
  return { ...Object.fromEntries(rest), ...path }
}

function readQuery(type: Compiled, query: URLSearchParams, reading: Reading): Record<string, unknown> {
  const { slots, tables } = type
  const input: Record<string, unknown> = {}
  for (const [name, text] of query) {
    const slot = slots.get(name) ?? slots.get(tables.queryAliases[name] ?? '')
    if (slot === undefined) continue
    const { field, json } = slot
    const before = reading.notes.length
    if (field.repeated && field.type === 'string') {
      input[json] = [...((input[json] as string[] | undefined) ?? []), ...text.split(',')]
    } else if (Object.hasOwn(input, json)) fail(reading, 'is given more than once in the query; send it once')
    else input[json] = field.repeated || field.map ? fail(reading, inBody) : readText(field.type, text, reading)
    prefix(reading, before, json)
  }
  return input
}

const inBody = 'cannot be given in a query; use an operation with a body'

function readText(type: string, text: string, reading: Reading): unknown {
  switch (type) {
    case 'string':
      return text
    case 'bool':
      return text === 'true' || text === 'false' ? text === 'true' : fail(reading, 'must be true or false')
    case 'int32':
      return /^-?\d+$/.test(text) ? text : fail(reading, 'must be a whole number in decimal digits')
    case 'enum':
      return text
    case 'timestamp':
      // The + of an offset that was not percent-encoded arrives as a space.
      return text.replace(' ', '+')
    default:
      return fail(reading, inBody)
  }
}
