// Compares two proto files read by parse.mjs or descriptor-set.mjs; gives one line per difference.
// What our comment marks "Later:" may be missing in theirs.

function byName(list) {
  return new Map(list.map((item) => [item.name, item]))
}

function compareLists(ours, theirs, { label, report, each }) {
  const left = byName(ours)
  const right = byName(theirs)
  for (const [name, item] of left) {
    const other = right.get(name)
    if (other !== undefined) each(item, other, label(name))
    else if (!item.comment?.startsWith('Later:')) report(`${label(name)}: only in ours`)
  }
  for (const name of right.keys()) if (!left.has(name)) report(`${label(name)}: only in theirs`)
}

const fieldFacts = (field) => ({
  number: field.number,
  json: field.json,
  type: [field.map && 'map of', field.repeated && 'repeated', field.typeName ?? field.type].filter(Boolean).join(' '),
  presence: field.oneof ? `oneof ${field.oneof}` : field.optional ? 'optional' : 'implicit',
  required: Boolean(field.required),
})

const methodFacts = (method) => ({
  request: `${method.clientStreaming ? 'stream ' : ''}${method.input}`,
  response: `${method.serverStreaming ? 'stream ' : ''}${method.output}`,
})

export function compareFiles(ours, theirs) {
  const differences = []
  const report = (line) => differences.push(line)
  const compareFacts = (left, right, label) => {
    for (const key of Object.keys(left)) {
      if (left[key] !== right[key]) report(`${label}: ${key} is ${left[key]} in ours, ${right[key]} in theirs`)
    }
  }
  if (ours.package !== theirs.package) report(`package is ${ours.package} in ours, ${theirs.package} in theirs`)
  compareLists(ours.messages, theirs.messages, {
    label: (name) => `message ${name}`,
    report,
    each: (left, right) =>
      compareLists(left.fields, right.fields, {
        label: (name) => `field ${left.name}.${name}`,
        report,
        each: (a, b, label) => compareFacts(fieldFacts(a), fieldFacts(b), label),
      }),
  })
  compareLists(ours.enums, theirs.enums, {
    label: (name) => `enum ${name}`,
    report,
    each: (left, right) =>
      compareLists(left.values, right.values, {
        label: (name) => `value ${left.name}.${name}`,
        report,
        each: (a, b, label) => compareFacts({ number: a.number }, { number: b.number }, label),
      }),
  })
  compareLists(ours.services, theirs.services, {
    label: (name) => `service ${name}`,
    report,
    each: (left, right) =>
      compareLists(left.methods, right.methods, {
        label: (name) => `method ${left.name}.${name}`,
        report,
        each: (a, b, label) => compareFacts(methodFacts(a), methodFacts(b), label),
      }),
  })
  return differences
}
