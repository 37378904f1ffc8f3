import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import * as keys from '../../src/agent/keys.ts'
import { autoModels, providerTable, unsupportedProviders } from '../../src/agent/models/provider-table.ts'
import { transportLimits } from '../../src/bindings/fetch-call.ts'
import { pollingDefaults, retryDefaults } from '../../src/client/options.ts'
import * as executor from '../../src/engine/executor.ts'
import { standardLimits } from '../../src/engine/limits.ts'
import { metricTable } from '../../src/observe/metric-table.ts'
import { spanTable } from '../../src/observe/span-table.ts'
import { errorTable } from '../../src/protocol/errors.ts'
import {
  idempotencyExtension,
  idempotencyKeyHeader,
  lastEventIdHeader,
  resumeExtension,
} from '../../src/protocol/extensions.ts'
import { operations } from '../../src/protocol/operations.ts'
import { httpOverrides, type Profile, profiles } from '../../src/protocol/profiles.ts'
import { losses } from '../../src/protocol/versions/v0-3/losses.ts'
import { rows03 } from '../../src/protocol/versions/v0-3/operations.ts'

/** A row that a table of the docs must have: its first cell, and the others; undefined where the page has words of its own. */
export type Row = readonly [first: string, ...rest: readonly (string | undefined)[]]

export const root: string = join(import.meta.dirname, '..', '..')

const code = (text: unknown): string => `\`${String(text)}\``
const free = undefined

/** Keys of an agent file: what is ignored or refused comes with the loader's reason, keys of one reason in one row. */
function keyRows(table: keys.KeyTable): Row[] {
  const used = Object.keys(table).filter((key) => table[key]?.mark === 'used')
  const reasons = new Map<string, string[]>()
  for (const [key, note] of Object.entries(table)) {
    if (note.mark === 'used') continue
    const row = `${note.mark === 'refused' ? 'stops the start' : 'warned about'}|${note.why}`
    reasons.set(row, [...(reasons.get(row) ?? []), code(key)])
  }
  const others = [...reasons].map(([row, names]): Row => [names.join(', '), ...row.split('|')])
  return [...used.map((key): Row => [code(key), free, free]), ...others]
}

function limitRows(limits: Readonly<Record<string, unknown>>): Row[] {
  return Object.entries(limits).map(([name, value]) => [code(name), Number(value).toLocaleString('en-US'), free])
}

const oldStatuses = httpOverrides({ ...profiles['spec-1.0.1'], errorMap: '1.0.0' })

function eventRows(): Row[] {
  const helpers = Object.entries(executor).filter(([name, value]) => typeof value === 'function' && name !== 'agent')
  return [
    ['a string', free],
    ['a part', free],
    ...['working', 'inputRequired', 'authRequired', 'reject', 'completed', 'failed', 'artifact', 'message', 'leaveOpen']
      .filter((name) => helpers.some(([helper]) => helper === name))
      .concat(helpers.map(([name]) => name))
      .filter((name, at, all) => all.indexOf(name) === at)
      .map((name): Row => [code(`${name}()`), free]),
  ]
}

/** What each table of the docs must hold, by the name in the comment before it. */
export const tables: Readonly<Record<string, () => readonly Row[]>> = {
  fileKeys: () => keyRows(keys.fileKeys),
  agentKeys: () => keyRows(keys.agentKeys),
  structuredOutputKeys: () => keyRows(keys.structuredOutputKeys),
  fallbackKeys: () => keyRows(keys.fallbackKeys),
  hookKeys: () => keyRows(keys.hookKeys),
  commandKeys: () => keyRows(keys.commandKeys),
  modelKeys: () => keyRows(keys.modelKeys),
  providerKeys: () => keyRows(keys.providerKeys),
  metadataKeys: () => keyRows(keys.metadataKeys),
  runtimeKeys: () => keyRows(keys.runtimeKeys),
  permissionKeys: () => keyRows(keys.permissionKeys),
  capabilityKeys: () => keyRows(keys.capabilityKeys),
  autoModels: () => autoModels.map(({ reference, maxTokens }) => [code(reference), maxTokens.toLocaleString('en-US')]),
  providers: () =>
    Object.entries(providerTable).map(([name, { wire, keys: names, baseUrl, files }]) => [
      code(name),
      wire,
      names.length === 0 ? 'no key' : names.map(code).join(' or '),
      baseUrl === undefined ? (wire === 'openai' ? 'give `base_url`' : 'its own') : code(baseUrl),
      files === true ? 'yes' : 'say so with `capabilities`',
    ]),
  unsupportedProviders: () => Object.entries(unsupportedProviders).map(([name, instead]) => [code(name), instead]),
  events: eventRows,
  standardLimits: () => [...limitRows({ ...standardLimits }), [code('retain'), 'for ever', free]],
  transportLimits: () => limitRows({ ...transportLimits }),
  retryDefaults: () => limitRows({ ...retryDefaults }),
  pollingDefaults: () => limitRows({ ...pollingDefaults }),
  profileFields: () => Object.entries(profiles['spec-1.0.1']).map(([name, value]) => [code(name), code(value), free]),
  profiles: () =>
    Object.entries(profiles).map(([name, profile]) => [
      code(name),
      Object.entries(profile)
        .filter(([field, value]) => value !== profiles['spec-1.0.1'][field as keyof Profile])
        .map(([field, value]) => `${code(field)} ${code(value)}`)
        .join(', ') || 'the specification to the letter',
      free,
    ]),
  metrics: () =>
    Object.entries(metricTable).map(([name, { kind, labels, help }]) => [
      code(name),
      kind,
      labels.map(code).join(', '),
      help,
    ]),
  spans: () =>
    Object.values(spanTable).map(({ name, kind, about, attributes }) => [
      code(name),
      kind,
      about,
      attributes.map(code).join(', '),
    ]),
  operations03: () =>
    rows03.map(({ operation, method, rpc, http }) => [
      code(operation.name),
      code(method),
      http.map(({ verb, path }) => code(`${verb} ${path}`)).join(', '),
      code(rpc),
    ]),
  losses03: () =>
    losses.map(({ id, direction, form, what, outcome }) => [
      code(id),
      direction,
      form === 'both' ? 'both' : form === 'json' ? 'JSON-RPC' : 'HTTP+JSON, gRPC',
      what,
      outcome,
    ]),
  errorCodes: () =>
    Object.entries(errorTable).map(([name, { retryable, message }]) => [
      code(name),
      retryable ? 'yes' : '',
      message,
      free,
    ]),
  errors: () =>
    Object.entries(errorTable).map(([name, { jsonRpc, http, status, reason, retryable, message }]) => [
      code(name),
      String(jsonRpc),
      String(http),
      String(oldStatuses[name as keyof typeof errorTable] ?? http),
      code(status),
      reason === undefined ? '' : code(reason),
      retryable ? 'yes' : '',
      message,
    ]),
  operations: () =>
    operations.map(({ name, http, needs }) => [
      code(name),
      http
        .filter(({ path }) => !path.startsWith('/{tenant}'))
        .map(({ verb, path }) => code(`${verb} ${path}`))
        .join(', '),
      needs === undefined ? '' : code(needs.capability),
    ]),
  extensions: () => [
    [code(resumeExtension), code(lastEventIdHeader)],
    [code(idempotencyExtension), code(idempotencyKeyHeader)],
  ],
}

/** One-line lists of the docs, by name. */
export const lists: Readonly<Record<string, () => string>> = {
  toolsetTypes: () => `${keys.toolsetTypes.map(code).join(', ')}.`,
}

/** A row for each member that an interface declares itself, in its order; a method as `name()`. */
export function memberRows(path: string, name: string): readonly Row[] {
  const text = readFileSync(join(root, path), 'utf8')
  const body = new RegExp(`^export interface ${name}\\b[^{]*\\{\n([\\s\\S]*?)^\\}`, 'm').exec(text)?.[1]
  if (body === undefined) throw new TypeError(`${path} has no interface ${name}`)
  const members = [...body.matchAll(/^ {2}(?:readonly )?(?:get )?(\w+)(\??:|[(<])/gm)]
  return members.map(([, member, after]): Row => [code(after?.endsWith(':') ? member : `${member}()`), free])
}
