// Turns the text of a .proto file into a google.protobuf.FileDescriptorProto.
import { create } from '@bufbuild/protobuf'
import {
  FileDescriptorProtoSchema,
  FieldDescriptorProto_Label as Label,
  FieldDescriptorProto_Type as Type,
} from '@bufbuild/protobuf/wkt'
import { jsonName, parseProto } from './parse.mjs'

const wellKnown = { struct: 'Struct', value: 'Value', timestamp: 'Timestamp', list: 'ListValue' }

/**
 * The descriptor of a file, without the annotations of `google.api`: clients that rest on protobuf.js 7.6 cannot load what
 * extends the options of descriptors.
 */
export function fileDescriptor(text, name) {
  const parsed = parseProto(text, name)
  const nameOf = (type) => (type === 'Empty' ? '.google.protobuf.Empty' : `.${parsed.package}.${type}`)
  const root = { messageType: [], enumType: [] }
  const placeOf = (dotted) => {
    const [last, ...outer] = dotted.split('.').reverse()
    let place = root
    for (const step of outer.reverse()) {
      const list = place.messageType ?? place.nestedType
      place = list.find(({ name }) => name === step)
    }
    return [place, last]
  }
  for (const message of parsed.messages) {
    const [place, last] = placeOf(message.name)
    const list = place.messageType ?? place.nestedType
    list.push(messageDescriptor({ ...message, name: last, fullName: nameOf(message.name) }, nameOf))
  }
  for (const descriptor of parsed.enums) {
    const [place, last] = placeOf(descriptor.name)
    place.enumType.push({ name: last, value: descriptor.values.map(({ name, number }) => ({ name, number })) })
  }
  const service = parsed.services.map(({ name, methods }) => ({
    name,
    method: methods.map((method) => ({
      name: method.name,
      inputType: nameOf(method.input),
      outputType: nameOf(method.output),
      clientStreaming: method.clientStreaming || undefined,
      serverStreaming: method.serverStreaming || undefined,
    })),
  }))
  const imports = [...text.matchAll(/^import "(.+)";/gm)].map(([, path]) => path)
  const dependency = imports.filter((path) => !path.startsWith('google/api/'))
  return create(FileDescriptorProtoSchema, {
    name,
    package: parsed.package,
    syntax: 'proto3',
    dependency,
    ...root,
    service,
  })
}

function messageDescriptor({ name, fullName, fields }, nameOf) {
  const message = { name, field: [], nestedType: [], enumType: [], oneofDecl: [] }
  const oneofs = [...new Set(fields.flatMap(({ oneof }) => oneof ?? []))]
  message.oneofDecl.push(...oneofs.map((oneof) => ({ name: oneof })))
  for (const field of fields) {
    const descriptor = fieldDescriptor(field, nameOf)
    if (field.oneof !== undefined) descriptor.oneofIndex = oneofs.indexOf(field.oneof)
    if (field.optional) {
      descriptor.proto3Optional = true
      descriptor.oneofIndex = message.oneofDecl.push({ name: `_${field.name}` }) - 1
    }
    if (field.map) {
      const entry = `${field.name.replace(/(^|_)(.)/g, (_, _line, letter) => letter.toUpperCase())}Entry`
      const key = { name: 'key', number: 1, label: Label.OPTIONAL, type: Type.STRING, jsonName: 'key' }
      const value = fieldDescriptor(
        { ...field, map: false, repeated: false, name: 'value', number: 2, json: 'value' },
        nameOf,
      )
      value.options = undefined
      message.nestedType.push({ name: entry, field: [key, value], options: { mapEntry: true } })
      Object.assign(descriptor, { label: Label.REPEATED, type: Type.MESSAGE, typeName: `${fullName}.${entry}` })
    }
    message.field.push(descriptor)
  }
  return message
}

function fieldDescriptor(field, nameOf) {
  return {
    name: field.name,
    number: field.number,
    label: field.repeated ? Label.REPEATED : Label.OPTIONAL,
    jsonName: field.json ?? jsonName(field.name),
    ...typeOf(field, nameOf),
    ...(field.deprecated && { options: { deprecated: true } }),
  }
}

function typeOf({ type, typeName }, nameOf) {
  if (type === 'message') return { type: Type.MESSAGE, typeName: nameOf(typeName) }
  if (type === 'enum') return { type: Type.ENUM, typeName: nameOf(typeName) }
  if (wellKnown[type] !== undefined) return { type: Type.MESSAGE, typeName: `.google.protobuf.${wellKnown[type]}` }
  return { type: Type[type.toUpperCase()] }
}

/** Full names of everything in a file. */
export function symbolsOf(file) {
  const symbols = []
  const at = (scope, { name }) => {
    const full = scope === '' ? name : `${scope}.${name}`
    symbols.push(full)
    return full
  }
  const addEnum = (scope, descriptor) => {
    at(scope, descriptor)
    for (const value of descriptor.value) at(scope, value)
  }
  const addMessage = (scope, message) => {
    const full = at(scope, message)
    for (const field of message.field) at(full, field)
    for (const oneof of message.oneofDecl) at(full, oneof)
    for (const nested of message.nestedType) addMessage(full, nested)
    for (const nested of message.enumType) addEnum(full, nested)
  }
  for (const message of file.messageType) addMessage(file.package, message)
  for (const descriptor of file.enumType) addEnum(file.package, descriptor)
  for (const service of file.service) {
    const full = at(file.package, service)
    for (const method of service.method) at(full, method)
  }
  return symbols
}
