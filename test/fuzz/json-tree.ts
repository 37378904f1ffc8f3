/** JSON that may hold what no JavaScript value can: a name given twice, a number of any size, text that is no JSON. */
export type Tree =
  | { readonly kind: 'object'; readonly members: [name: string, value: Tree][] }
  | { readonly kind: 'array'; readonly items: Tree[] }
  | { readonly kind: 'text'; readonly text: string }

export function toTree(value: unknown): Tree {
  if (Array.isArray(value)) return { kind: 'array', items: value.map(toTree) }
  if (typeof value === 'object' && value !== null) {
    return { kind: 'object', members: Object.entries(value).map(([name, member]) => [name, toTree(member)]) }
  }
  return { kind: 'text', text: JSON.stringify(value) ?? 'null' }
}

export function writeTree(tree: Tree): string {
  switch (tree.kind) {
    case 'object':
      return `{${tree.members.map(([name, value]) => `${JSON.stringify(name)}:${writeTree(value)}`).join(',')}}`
    case 'array':
      return `[${tree.items.map(writeTree).join(',')}]`
    case 'text':
      return tree.text
  }
}

/** Every tree inside a tree, itself first. */
export function allTrees(tree: Tree): Tree[] {
  const found: Tree[] = [tree]
  for (const each of found) {
    if (each.kind === 'object') found.push(...each.members.map(([, value]) => value))
    else if (each.kind === 'array') found.push(...each.items)
  }
  return found
}
