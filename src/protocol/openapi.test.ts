import { Ajv2020 } from 'ajv/dist/2020.js'
import { describe, expect, test } from 'vitest'
import { operationRows } from './generated/v1/operations.ts'
import { openApi } from './openapi.ts'

interface Parameter {
  readonly name?: string
  readonly in?: string
  readonly $ref?: string
}

interface Operation {
  readonly operationId: string
  readonly parameters: readonly Parameter[]
  readonly requestBody?: { readonly required: boolean; readonly content: Readonly<Record<string, { schema: object }>> }
  readonly responses: Readonly<Record<string, { content?: Readonly<Record<string, { schema: object }>> }>>
}

const document = openApi({ url: 'https://agent.example', tenants: true })
const paths = document.paths as unknown as Readonly<Record<string, Readonly<Record<string, Operation>>>>
const operations = Object.entries(paths).flatMap(([path, verbs]) =>
  Object.entries(verbs).map(([verb, operation]) => ({ path, verb, operation })),
)

/** Every reference in the document. */
function references(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, member]) =>
    key === '$ref' && typeof member === 'string' ? [member] : references(member),
  )
}

describe('OpenAPI document of the HTTP+JSON binding', () => {
  test('REST-01 has every verb and path of every operation, and no other', () => {
    const expected = operationRows.flatMap((row) => row.http.map((rule) => `${rule.verb} ${rule.path}`))
    expect(operations.map(({ path, verb }) => `${verb.toUpperCase()} ${path}`).sort()).toEqual(expected.sort())
    const plain = Object.keys(openApi().paths as object)
    expect(plain.sort()).toEqual(
      Object.keys(paths)
        .filter((path) => !path.startsWith('/{tenant}'))
        .sort(),
    )
  })

  test('every reference leads somewhere', () => {
    const found = [...new Set(references(document))]
    expect(found.length).toBeGreaterThan(40)
    for (const reference of found) {
      const target = reference
        .slice(2)
        .split('/')
        .reduce<unknown>((value, name) => (value as Record<string, unknown> | undefined)?.[name], document)
      expect(target, reference).toBeDefined()
    }
  })

  test('every schema is a JSON Schema', () => {
    const ajv = new Ajv2020({ strict: true, strictRequired: false, validateFormats: false })
    const { schemas } = document.components as unknown as { schemas: Record<string, object> }
    ajv.addKeyword('components')
    ajv.addSchema({ $id: 'urn:parlance:test', components: { schemas } } as object, 'urn:parlance:test', false, false)
    for (const name of Object.keys(schemas)) ajv.compile({ $ref: `urn:parlance:test#/components/schemas/${name}` })
  })

  test('operation ids are unique', () => {
    const ids = operations.map(({ operation }) => operation.operationId)
    expect(new Set(ids).size).toBe(ids.length)
    expect(ids).toContain('SubscribeToTaskWithGet')
    expect(ids).toContain('SendMessageForTenant')
  })

  test('path variables are parameters, and only they', () => {
    for (const { path, operation } of operations) {
      const named = operation.parameters.filter((parameter) => parameter.in === 'path').map(({ name }) => name)
      expect(named).toEqual([...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1]))
    }
  })

  test('REST-07 REST-08 GET and DELETE take the rest from the query, and no body', () => {
    for (const { verb, operation } of operations) {
      if (verb !== 'post') expect(operation.requestBody).toBeUndefined()
    }
    const names = paths['/tasks']?.get?.parameters.filter((parameter) => parameter.in === 'query').map((p) => p.name)
    expect(names).toEqual([
      'tenant',
      'contextId',
      'status',
      'pageSize',
      'pageToken',
      'historyLength',
      'statusTimestampAfter',
      'includeArtifacts',
    ])
  })

  test('REST-29 the body of :cancel can be left out, that of message:send cannot', () => {
    expect(paths['/tasks/{id}:cancel']?.post?.requestBody?.required).toBe(false)
    expect(paths['/message:send']?.post?.requestBody?.required).toBe(true)
  })

  test('REST-02 REST-33 answers are JSON, or events', () => {
    expect(Object.keys(paths['/tasks/{id}']?.get?.responses['200']?.content ?? {})).toEqual([
      'application/a2a+json',
      'application/json',
    ])
    expect(Object.keys(paths['/message:stream']?.post?.responses['200']?.content ?? {})).toEqual(['text/event-stream'])
  })

  test('REST-18 every operation has the error response', () => {
    for (const { operation } of operations) {
      expect(operation.responses.default).toEqual({ $ref: '#/components/responses/Error' })
    }
  })
})
