// Reads the text of a .proto file (proto3) into plain data:
// { package, messages: [{ name, comment, fields }], enums: [{ name, comment, values }], services: [{ name, methods }] }.

const tokenPattern =
  /\/\/([^\n]*)|\/\*([\s\S]*?)\*\/|"((?:[^"\\]|\\.)*)"|'((?:[^'\\]|\\.)*)'|([A-Za-z_.][\w.]*)|(-?\d[\w.]*)|(\S)/g

function tokenize(text) {
  const tokens = []
  let comment = []
  let lastLine = -2
  let line = 1
  let position = 0
  for (const match of text.matchAll(tokenPattern)) {
    for (; position < match.index; position++) if (text[position] === '\n') line++
    const [whole, lineComment, blockComment, double, single, word, number, symbol] = match
    if (lineComment !== undefined || blockComment !== undefined) {
      if (line !== lastLine + 1) comment = []
      const body = lineComment ?? blockComment.replace(/^\s*\* ?/gm, '')
      // A comment behind code on the same line documents nothing that follows.
      if (tokens.length === 0 || tokens.at(-1).line !== line) comment.push(body.trim())
      lastLine = line + (whole.match(/\n/g) ?? []).length
      continue
    }
    const string = double ?? single
    tokens.push({
      text: string ?? word ?? number ?? symbol,
      string: string !== undefined,
      line,
      comment: comment.length > 0 && line === lastLine + 1 ? comment.join(' ').trim() : undefined,
    })
    comment = []
  }
  return tokens
}

export function jsonName(name) {
  return name.replace(/_+(.?)/g, (_, letter) => letter.toUpperCase())
}

export function parseProto(text, fileName = 'input') {
  const tokens = tokenize(text)
  let at = 0
  const file = { package: '', messages: [], enums: [], services: [] }

  const fail = (what) => {
    throw new Error(
      `${fileName}:${tokens[at]?.line ?? 'end'}: expected ${what}, found ${tokens[at]?.text ?? 'end of file'}`,
    )
  }
  const peek = () => tokens[at]?.text
  const next = () => tokens[at++] ?? fail('more')
  const take = (symbol) => {
    if (tokens[at]?.string || peek() !== symbol) fail(`"${symbol}"`)
    at++
  }
  const accept = (symbol) => {
    const found = !tokens[at]?.string && peek() === symbol
    if (found) at++
    return found
  }
  const skipStatement = () => {
    let depth = 0
    for (;;) {
      const token = next()
      if (token.string) continue
      if (token.text === '{') depth++
      if (token.text === '}' && --depth === 0 && !accept(';')) return
      if (token.text === '}' && depth === 0) return
      if (token.text === ';' && depth === 0) return
    }
  }

  const optionName = () => {
    let name = ''
    if (accept('(')) {
      name = next().text
      take(')')
      if (peek()?.startsWith('.') && !tokens[at].string) name += next().text
    } else {
      name = next().text
    }
    return name
  }
  // The text format: { key: value key { ... } }, repeated keys kept as pairs.
  const aggregate = () => {
    const pairs = []
    take('{')
    while (!accept('}')) {
      const key = next().text
      accept(':')
      pairs.push([key, peek() === '{' && !tokens[at].string ? aggregate() : next().text])
      if (!accept(',')) accept(';')
    }
    return pairs
  }
  const optionValue = () => (peek() === '{' && !tokens[at].string ? aggregate() : next().text)
  const fieldOptions = () => {
    const options = []
    if (!accept('[')) return options
    do {
      const name = optionName()
      take('=')
      options.push([name, optionValue()])
    } while (accept(','))
    take(']')
    return options
  }

  const parseField = (start, scope, oneof) => {
    const field = { name: '', json: '', number: 0, type: '', comment: start.comment }
    let label = start.text
    if (label === 'repeated' || label === 'optional') {
      if (label === 'repeated') field.repeated = true
      else field.optional = true
      label = next().text
    }
    if (label === 'map') {
      take('<')
      field.map = true
      if (next().text !== 'string') fail('a map with string keys')
      take(',')
      label = next().text
      take('>')
    }
    field.type = label
    field.scope = scope
    field.name = next().text
    field.json = jsonName(field.name)
    take('=')
    field.number = Number(next().text)
    if (oneof) field.oneof = oneof
    for (const [name, value] of fieldOptions()) {
      if (name === 'google.api.field_behavior' && value === 'REQUIRED') field.required = true
      if (name === 'json_name') field.json = value
      if (name === 'deprecated' && value === 'true') field.deprecated = true
    }
    take(';')
    return field
  }

  const parseMessage = (comment, scope) => {
    const message = { name: [...scope, next().text].join('.'), comment, fields: [] }
    const inner = message.name.split('.')
    file.messages.push(message)
    take('{')
    while (!accept('}')) {
      const start = next()
      if (start.text === 'message') parseMessage(start.comment, inner)
      else if (start.text === 'enum') parseEnum(start.comment, inner)
      else if (start.text === 'oneof') {
        const oneof = next().text
        take('{')
        while (!accept('}')) {
          const member = next()
          if (member.text === 'option') skipStatement()
          else message.fields.push(parseField(member, message.name, oneof))
        }
      } else if (['option', 'reserved', 'extensions', 'extend'].includes(start.text)) skipStatement()
      else if (start.text !== ';') message.fields.push(parseField(start, message.name))
    }
  }

  const parseEnum = (comment, scope) => {
    const descriptor = { name: [...scope, next().text].join('.'), comment, values: [] }
    file.enums.push(descriptor)
    take('{')
    while (!accept('}')) {
      const start = next()
      if (start.text === 'option' || start.text === 'reserved') {
        skipStatement()
        continue
      }
      if (start.text === ';') continue
      take('=')
      descriptor.values.push({ name: start.text, number: Number(next().text), comment: start.comment })
      fieldOptions()
      take(';')
    }
  }

  const httpRules = (pairs) => {
    const own = { verb: '', path: '', body: '' }
    const more = []
    for (const [key, value] of pairs) {
      if (['get', 'post', 'put', 'delete', 'patch'].includes(key))
        Object.assign(own, { verb: key.toUpperCase(), path: value })
      else if (key === 'body') own.body = value
      else if (key === 'additional_bindings') more.push(...httpRules(value))
    }
    return [own, ...more]
  }

  const parseMethod = (comment) => {
    const method = { name: next().text, comment, http: [] }
    take('(')
    method.clientStreaming = accept('stream')
    method.input = next().text
    take(')')
    take('returns')
    take('(')
    method.serverStreaming = accept('stream')
    method.output = next().text
    take(')')
    if (accept(';')) return method
    take('{')
    while (!accept('}')) {
      if (accept(';')) continue
      take('option')
      const name = optionName()
      take('=')
      const value = optionValue()
      take(';')
      if (name === 'google.api.http') method.http = httpRules(value)
    }
    return method
  }

  while (at < tokens.length) {
    const start = next()
    if (start.text === 'package') {
      file.package = next().text
      take(';')
    } else if (start.text === 'message') parseMessage(start.comment, [])
    else if (start.text === 'enum') parseEnum(start.comment, [])
    else if (start.text === 'service') {
      const service = { name: next().text, comment: start.comment, methods: [] }
      file.services.push(service)
      take('{')
      while (!accept('}')) {
        const inner = next()
        if (inner.text === 'rpc') service.methods.push(parseMethod(inner.comment))
        else if (inner.text === 'option') skipStatement()
        else if (inner.text !== ';') fail('rpc')
      }
    } else if (start.text !== ';') skipStatement()
  }
  return resolveTypes(file)
}

const scalars = new Set([
  'string',
  'bytes',
  'bool',
  'int32',
  'int64',
  'uint32',
  'uint64',
  'sint32',
  'sint64',
  'fixed32',
  'fixed64',
  'sfixed32',
  'sfixed64',
  'float',
  'double',
])
const wellKnown = { Struct: 'struct', Value: 'value', Timestamp: 'timestamp', Empty: 'Empty', ListValue: 'list' }

// Turns every type name into a scalar, a well-known type, or the name of a message or enum without its package.
export function resolveTypes(file) {
  const messages = new Set(file.messages.map((message) => message.name))
  const enums = new Set(file.enums.map((descriptor) => descriptor.name))
  const withoutPackage = (name) => {
    const bare = name.replace(/^\./, '')
    return bare.startsWith(`${file.package}.`) ? bare.slice(file.package.length + 1) : bare
  }
  const known = (name, scope = '') => {
    const bare = withoutPackage(name)
    for (let path = scope ? scope.split('.') : []; ; path = path.slice(0, -1)) {
      const candidate = [...path, bare].join('.')
      if (messages.has(candidate)) return { type: 'message', typeName: candidate }
      if (enums.has(candidate)) return { type: 'enum', typeName: candidate }
      if (path.length === 0) break
    }
    const google = /^google\.protobuf\.(\w+)$/.exec(bare)?.[1]
    if (google === 'Empty') return { type: 'message', typeName: 'Empty' }
    if (google && wellKnown[google]) return { type: wellKnown[google] }
    throw new Error(`unknown type ${name}`)
  }
  for (const message of file.messages) {
    for (const field of message.fields) {
      if (!scalars.has(field.type)) Object.assign(field, known(field.type, field.scope))
      delete field.scope
    }
  }
  for (const service of file.services) {
    for (const method of service.methods) {
      method.input = known(method.input).typeName
      method.output = known(method.output).typeName
    }
  }
  return file
}
