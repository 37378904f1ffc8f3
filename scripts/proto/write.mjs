// Writes TypeScript from what parse.mjs read: types, descriptor table, operation rows, descriptions.

const head = (source) =>
  `// biome-ignore-all format: generated\n// Written by scripts/generate.mjs from ${source}. Do not edit.\n`
const supported = new Set(['string', 'bool', 'int32', 'bytes', 'message', 'enum', 'struct', 'value', 'timestamp'])
const quote = (text) => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`
const typeOf = (name) => name.replaceAll('.', '')
const doc = (comment, indent = '') => (comment ? `${indent}/** ${comment} */\n` : '')

function valueType(field) {
  const plain = {
    string: 'string',
    bool: 'boolean',
    int32: 'number',
    bytes: 'string',
    struct: 'JsonObject',
    value: 'JsonValue',
    timestamp: 'string',
  }[field.type]
  const one = plain ?? typeOf(field.typeName)
  if (field.map) return `Readonly<Record<string, ${one}>>`
  return field.repeated ? `readonly ${one}[]` : one
}

const note = (field) => {
  const hints = { bytes: 'Standard base64.', timestamp: 'RFC 3339 in UTC.' }
  return [field.comment, hints[field.type], field.deprecated && '@deprecated'].filter(Boolean).join(' ')
}

function member(field, required) {
  return `${doc(note(field), '  ')}  readonly ${field.json}${required ? '' : '?'}: ${valueType(field)}\n`
}

function messageType(message) {
  const name = typeOf(message.name)
  const plain = message.fields.filter((field) => !field.oneof)
  const groups = groupByOneof(message.fields)
  if (message.fields.length === 0)
    return `${doc(message.comment)}export type ${name} = Readonly<Record<string, never>>\n`
  if (groups.length === 0) {
    return `${doc(message.comment)}export interface ${name} {\n${plain.map((field) => member(field, field.required)).join('')}}\n`
  }
  let text = ''
  const pieces = []
  if (plain.length > 0) {
    text += `/** The members of every ${name}. */\nexport interface ${name}Common {\n${plain.map((field) => member(field, field.required)).join('')}}\n\n`
    pieces.push(`${name}Common`)
  }
  for (const [, fields] of groups) {
    const forms = fields.map((chosen) => {
      const others = fields.filter((field) => field !== chosen).map((field) => `readonly ${field.json}?: never`)
      return `  | {\n${member(chosen, true).replace(/^/gm, '    ').trimEnd()}\n      ${others.join('\n      ')}\n    }`
    })
    pieces.push(groups.length + plain.length > 1 ? `(\n${forms.join('\n')}\n)` : `\n${forms.join('\n')}`)
  }
  return `${text}${doc(message.comment)}export type ${name} =${pieces[0].startsWith('\n') ? '' : ' '}${pieces.join(' & ')}\n`
}

function groupByOneof(fields) {
  const groups = new Map()
  for (const field of fields) {
    if (field.oneof) groups.set(field.oneof, [...(groups.get(field.oneof) ?? []), field])
  }
  return [...groups]
}

export function writeTypes(file, source) {
  const enums = file.enums.map(
    (descriptor) =>
      `${doc(descriptor.comment)}export type ${typeOf(descriptor.name)} =\n${descriptor.values.map((value) => `  | ${quote(value.name)}`).join('\n')}\n`,
  )
  const names = file.messages.map((message) => message.name)
  return [
    head(source),
    "import type { JsonObject, JsonValue } from '../../../lib/json.ts'\n",
    'export type { JsonObject, JsonValue }\n',
    ...enums,
    ...file.messages.map(messageType),
    `/** Every message by name. */\nexport interface Messages {\n${names.map((name) => `  readonly ${quote(name)}: ${typeOf(name)}\n`).join('')}}\n`,
  ].join('\n')
}

export function writeSchema(file, source) {
  const fieldText = (message) => (field) => {
    if (!supported.has(field.type))
      throw new Error(`${message.name}.${field.name}: type ${field.type} has no JSON form here`)
    const flags = ['repeated', 'map', 'required', 'optional', 'deprecated']
      .filter((flag) => field[flag])
      .map((flag) => `, ${flag}: true`)
    const typeName = field.typeName ? `, typeName: ${quote(field.typeName)}` : ''
    const oneof = field.oneof ? `, oneof: ${quote(field.oneof)}` : ''
    return `      { name: ${quote(field.name)}, json: ${quote(field.json)}, number: ${field.number}, type: ${quote(field.type)}${typeName}${flags.join('')}${oneof} },\n`
  }
  const messages = file.messages.map(
    (message) =>
      `    ${quote(message.name)}: [${message.fields.length ? `\n${message.fields.map(fieldText(message)).join('')}    ` : ''}],\n`,
  )
  const enums = file.enums.map(
    (descriptor) =>
      `    ${quote(descriptor.name)}: [\n${descriptor.values.map((value) => `      [${quote(value.name)}, ${value.number}],\n`).join('')}    ],\n`,
  )
  return `${head(source)}
import type { Schema } from '../../schema.ts'

/** The messages and enums of ${file.package}. */
export const schema: Schema = {
  messages: {
${messages.join('')}  },
  enums: {
${enums.join('')}  },
}
`
}

export function writeOperations(file, source) {
  const { methods } = file.services[0]
  const jsonNames = (method) =>
    new Map(
      file.messages.find((message) => message.name === method.input).fields.map((field) => [field.name, field.json]),
    )
  const ruleText = (method) => (rule) => {
    const path = rule.path.replace(/\{(\w+)(=[^}]*)?\}/g, (_, name) => `{${jsonNames(method).get(name) ?? name}}`)
    return `      { verb: ${quote(rule.verb)}, path: ${quote(path)}, body: ${quote(rule.body)} },\n`
  }
  const kind = (method) => (method.serverStreaming ? 'stream' : 'unary')
  const rows = methods.map(
    (method) => `  {
    name: ${quote(method.name)},
    kind: ${quote(kind(method))},
    request: ${quote(method.input)},
    response: ${quote(method.output)},
    http: [
${method.http.map(ruleText(method)).join('')}    ],
  },
`,
  )
  const types = [...new Set(methods.flatMap((method) => [method.input, method.output]))].sort()
  const union = (of) => methods.filter((method) => kind(method) === of).map((method) => `  | ${quote(method.name)}\n`)
  return `${head(source)}
import type { OperationRow } from '../../schema.ts'
import type {
  Messages,
${types.map((name) => `  ${typeOf(name)},\n`).join('')}} from './types.ts'

/** Request and response of every operation; a stream's response is one event. */
export interface OperationTypes {
${methods.map((method) => `${doc(method.comment, '  ')}  ${method.name}: { request: ${typeOf(method.input)}; response: ${typeOf(method.output)} }\n`).join('')}}

/** The name of an operation. */
export type OperationName = keyof OperationTypes

/** Operations with one answer. */
export type UnaryOperation =
${union('unary').join('')}
/** Operations that answer with a stream of events. */
export type StreamOperation =
${union('stream').join('')}
/** The request of an operation. */
export type RequestOf<O extends OperationName> = OperationTypes[O]['request']

/** The response of an operation. */
export type ResponseOf<O extends OperationName> = OperationTypes[O]['response']

/** The full name of the gRPC service. */
export const serviceName = ${quote(`${file.package}.${file.services[0].name}`)}

/** Every operation of the service, in its order. */
export const operationRows: readonly OperationRow<OperationName, keyof Messages>[] = [
${rows.join('')}]
`
}

export function writeDescriptions(file, source) {
  const rows = []
  const add = (key, comment) => comment && rows.push(`  ${quote(key)}: ${quote(comment)},\n`)
  for (const message of file.messages) {
    add(message.name, message.comment)
    for (const field of message.fields) add(`${message.name}.${field.json}`, field.comment)
  }
  for (const descriptor of file.enums) add(descriptor.name, descriptor.comment)
  for (const method of file.services[0].methods) add(`rpc ${method.name}`, method.comment)
  return `${head(source)}
/** What each message, field (\`Task.id\`) and operation (\`rpc GetTask\`) is for. */
export const descriptions: Readonly<Record<string, string>> = {
${rows.join('')}}
`
}

export function writeProtoText(text, source) {
  const escaped = text.replaceAll('\\', '\\\\').replaceAll('`', '\\`').replaceAll('${', '\\${')
  return `${head(source)}
/** The whole text of ${source}. */
export const protoText: string = \`${escaped}\`
`
}
