import type { JsonObject } from '../lib/json.ts'
import { errorTable } from './errors.ts'
import { descriptions } from './generated/v1/descriptions.ts'
import { operationRows } from './generated/v1/operations.ts'
import { schema } from './generated/v1/schema.ts'
import { fieldSchema, messageSchemas } from './json-schema.ts'
import type { HttpRule } from './schema.ts'
import { protocolVersion } from './schema.ts'

export interface OpenApiOptions {
  readonly title?: string
  /** Version of the described API, not of OpenAPI. */
  readonly version?: string
  /** The address that the paths are relative to. */
  readonly url?: string
  /** Whether to list the paths that begin with a tenant as well. */
  readonly tenants?: boolean
}

type Row = (typeof operationRows)[number]

const prefix = '#/components/schemas/'
const ref = (name: string): JsonObject => ({ $ref: prefix + name })
const mediaTypes = ['application/a2a+json', 'application/json']
const json = (body: JsonObject): JsonObject => Object.fromEntries(mediaTypes.map((type) => [type, { schema: body }]))

/** An OpenAPI 3.1 document of the HTTP+JSON binding (§11), made from the operation rows. */
export function openApi(options: OpenApiOptions = {}): JsonObject {
  const paths: Record<string, Record<string, JsonObject>> = {}
  for (const row of operationRows) {
    for (const [index, rule] of row.http.entries()) {
      if (rule.path.startsWith('/{tenant}') && options.tenants !== true) continue
      const verb = rule.verb.toLowerCase()
      paths[rule.path] = { ...paths[rule.path], [verb]: operation(row, rule, operationId(row, index)) }
    }
  }
  return {
    openapi: '3.1.0',
    info: {
      title: options.title ?? 'A2A HTTP+JSON binding',
      version: options.version ?? protocolVersion,
    },
    ...(options.url !== undefined && { servers: [{ url: options.url }] }),
    paths,
    components: {
      schemas: { ...messageSchemas(prefix), ...errorSchemas() },
      parameters: headerParameters,
      responses: { Error: { description: 'The call failed (§11.6).', content: json(ref('ErrorResponse')) } },
    },
  }
}

function operationId(row: Row, index: number): string {
  const rule = row.http[index] as HttpRule
  const tenant = rule.path.startsWith('/{tenant}') ? 'ForTenant' : ''
  const first = row.http.findIndex((other) => other.path === rule.path) === index
  return row.name + tenant + (first ? '' : `With${rule.verb[0]}${rule.verb.slice(1).toLowerCase()}`)
}

function operation(row: Row, rule: HttpRule, id: string): JsonObject {
  const inPath = [...rule.path.matchAll(/\{(\w+)\}/g)].map((match) => match[1] as string)
  const fields = schema.messages[row.request] ?? []
  const inQuery = rule.body === '*' ? [] : fields.filter((field) => !inPath.includes(field.json))
  const shaped = (name: string) => fields.find((field) => field.json === name)
  const parameters: JsonObject[] = [
    ...inPath.map((name) => ({
      name,
      in: 'path',
      required: true,
      schema: { ...describedType(row.request, name), minLength: 1 },
    })),
    ...inQuery.map((field) => ({
      name: field.json,
      in: 'query',
      ...(field.required && { required: true }),
      schema: fieldSchema(row.request, field, prefix),
    })),
    ...Object.keys(headerParameters).map((name) => ({ $ref: `#/components/parameters/${name}` })),
    ...(row.kind === 'stream' ? [lastEventId] : []),
  ]
  const description = descriptions[`rpc ${row.name}`]
  return {
    operationId: id,
    ...(description !== undefined && { summary: description }),
    parameters,
    ...(rule.body === '*' && {
      requestBody: requestBody(
        row,
        inPath.filter((name) => shaped(name)?.required),
      ),
    }),
    responses: { '200': success(row), default: { $ref: '#/components/responses/Error' } },
  }
}

function describedType(message: string, name: string): { type: string; description?: string } {
  const description = descriptions[`${message}.${name}`]
  return { type: 'string', ...(description !== undefined && { description }) }
}

/** The body of a request; what the path gives need not be in it. */
function requestBody(row: Row, given: readonly string[]): JsonObject {
  const full = schema.messages[row.request] ?? []
  const needed = full.filter((field) => field.required && !given.includes(field.json))
  if (given.length === 0) return { required: needed.length > 0, content: json(ref(row.request)) }
  const properties = full.filter((field) => !given.includes(field.json))
  const body: JsonObject = {
    type: 'object',
    properties: Object.fromEntries(properties.map((field) => [field.json, fieldSchema(row.request, field, prefix)])),
    ...(needed.length > 0 && { required: needed.map((field) => field.json) }),
  }
  return { required: needed.length > 0, content: json(body) }
}

function success(row: Row): JsonObject {
  if (row.kind === 'unary') return { description: `A ${row.response}.`, content: json(ref(row.response)) }
  return {
    description: `Server-sent events; the data of each is one ${row.response} in JSON, or an ErrorResponse that ends the stream (§11.7).`,
    content: { 'text/event-stream': { schema: { type: 'string' }, 'x-event-data': ref(row.response) } },
  }
}

const headerParameters: Record<string, JsonObject> = {
  'A2A-Version': {
    name: 'A2A-Version',
    in: 'header',
    description: 'The protocol version of the caller, as major.minor (§3.6).',
    schema: { type: 'string', examples: [protocolVersion] },
  },
  'A2A-Extensions': {
    name: 'A2A-Extensions',
    in: 'header',
    description: 'URIs of the extensions that the caller wants, separated by commas (§3.2.6).',
    schema: { type: 'string' },
  },
}

const lastEventId: JsonObject = {
  name: 'Last-Event-ID',
  in: 'header',
  description: 'The id of the last event seen; the stream goes on behind it.',
  schema: { type: 'string' },
}

function errorSchemas(): Record<string, JsonObject> {
  const rows = Object.values(errorTable)
  const details: JsonObject = {
    type: 'array',
    items: { type: 'object', properties: { '@type': { type: 'string' } }, required: ['@type'] },
  }
  return {
    ErrorResponse: {
      description: 'A google.rpc.Status in an envelope (§11.6).',
      type: 'object',
      properties: {
        error: {
          type: 'object',
          properties: {
            code: { type: 'integer', enum: [...new Set(rows.map((row) => row.http))].sort((a, b) => a - b) },
            status: { type: 'string', enum: [...new Set(rows.map((row) => row.status))].sort() },
            message: { type: 'string' },
            details,
          },
          required: ['code', 'status', 'message'],
        },
      },
      required: ['error'],
    },
  }
}
