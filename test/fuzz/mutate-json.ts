import { allTrees, type Tree, toTree } from './json-tree.ts'
import type { Random } from './random.ts'
import { strangeName, strangeText, strangeTree } from './strange.ts'

type ObjectTree = Extract<Tree, { kind: 'object' }>
type ArrayTree = Extract<Tree, { kind: 'array' }>

/** A tree with one to three things changed. The tree that is given is used up. */
export function mutateTree(random: Random, tree: Tree): Tree {
  let result = tree
  for (let times = random.pick([1, 1, 1, 2, 3]); times > 0; times--) {
    const target = random.pick(allTrees(result))
    if (target.kind === 'object') mutateObject(random, target)
    else if (target.kind === 'array') mutateArray(random, target)
    else result = replace(result, target, mutateText(random, target.text))
  }
  return random.percent(2) ? random.pick([toTree([result]), strangeTree(random)]) : result
}

function replace(tree: Tree, from: Tree, to: Tree): Tree {
  if (tree === from) return to
  for (const each of allTrees(tree)) {
    if (each.kind === 'object') {
      for (const member of each.members) if (member[1] === from) member[1] = to
    } else if (each.kind === 'array') {
      for (const [at, item] of each.items.entries()) if (item === from) each.items[at] = to
    }
  }
  return tree
}

function mutateObject(random: Random, { members }: ObjectTree): void {
  const at = random.below(members.length)
  const member = members[at]
  if (member === undefined || random.percent(20)) {
    members.splice(random.below(members.length + 1), 0, [strangeName(random), strangeTree(random)])
    return
  }
  switch (random.below(6)) {
    case 0:
      members.splice(at, 1)
      break
    case 1:
      members.push([member[0], random.percent(50) ? member[1] : strangeTree(random)])
      break
    case 2:
      member[0] = otherName(random, member[0])
      break
    case 3:
      members.push([otherName(random, member[0]), member[1]])
      break
    case 4: {
      const other = random.pick(members)
      const value = member[1]
      member[1] = other[1]
      other[1] = value
      break
    }
    default:
      member[1] = strangeTree(random)
  }
}

function otherName(random: Random, name: string): string {
  switch (random.below(5)) {
    case 0:
      return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
    case 1:
      return name.toUpperCase()
    case 2:
      return `${name}s`
    case 3:
      return name.slice(0, -1)
    default:
      return strangeName(random)
  }
}

function mutateArray(random: Random, { items }: ArrayTree): void {
  const at = random.below(items.length)
  const item = items[at]
  switch (item === undefined ? 0 : random.below(5)) {
    case 0:
      items.splice(at, 0, strangeTree(random))
      break
    case 1:
      items.splice(at, 1)
      break
    case 2:
      items.length = 0
      break
    case 3:
      items.push(...Array.from({ length: random.pick([1, 10, 1_000]) }, () => item as Tree))
      break
    default:
      items[at] = strangeTree(random)
  }
}

function mutateText(random: Random, text: string): Tree {
  const value = readText(text)
  if (value === undefined || random.percent(50)) return strangeTree(random)
  const at = random.below(value.length + 1)
  switch (random.below(4)) {
    case 0:
      return toTree(value.slice(0, at) + strangeText(random) + value.slice(at))
    case 1:
      return toTree(value.slice(0, at))
    case 2:
      return toTree(random.percent(50) ? value.toUpperCase() : value.toLowerCase())
    default:
      return toTree(value.repeat(random.pick([2, 50])))
  }
}

/** The text that a tree holds, unless it is something else, or nothing that can be read. */
function readText(text: string): string | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'string' ? value : undefined
  } catch {
    return undefined
  }
}
