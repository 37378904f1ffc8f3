import { type Tree, toTree } from './json-tree.ts'
import type { Random } from './random.ts'

const unit = (code: number): string => String.fromCharCode(code)

/** Texts that are legal and yet surprise. */
const texts: readonly string[] = [
  '',
  ' ',
  '\0',
  'a\0b',
  '\r\n',
  '\u2028',
  '\ufeff',
  '\ufffd',
  '\uffff',
  'e\u0301',
  '\u200b',
  '\u202etxet',
  '👩‍👩‍👧‍👦',
  '𝕳𝖊𝖑𝖑𝖔',
  'ﷺ'.repeat(50),
  `x${'\u0301'.repeat(300)}`,
  unit(0xd800),
  unit(0xdfff),
  `a${unit(0xdc00)}${unit(0xd800)}b`,
  '__proto__',
  'constructor',
  'null',
  'undefined',
  'NaN',
  '-1',
  '1e309',
  '9223372036854775808',
  '../../etc/passwd',
  'tasks/',
  'tasks/a/b/c',
  '%00',
  '%2e%2e%2f',
  "'; drop table tasks; --",
  // biome-ignore lint/suspicious/noTemplateCurlyInString: the text is meant as it stands
  '${7*7}',
  '{{7*7}}',
  '<script>',
  'data:,',
  'file:///etc/passwd',
  'http://[::1]:0/',
  'a'.repeat(300),
  'é'.repeat(5_000),
  '2025-02-30T00:00:00Z',
  '0000-01-01T00:00:00Z',
  '9999-12-31T23:59:60Z',
  'TASK_STATE_',
  'TASK_STATE_UNSPECIFIED',
  'ROLE_UNSPECIFIED',
  'YQ=',
  '====',
]

/** Names that mean something to JavaScript, to the protocol, or to nobody. */
const names: readonly string[] = [
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'valueOf',
  'hasOwnProperty',
  'toJSON',
  'then',
  'length',
  '',
  '0',
  '-1',
  '$type',
  '@type',
  'kind',
  'tenant',
  'id',
  'name',
  'task',
  'taskId',
  'task_id',
  'contextId',
  'context_id',
  'message',
  'msg',
  'request',
  'role',
  'parts',
  'content',
  'text',
  'file',
  'data',
  'raw',
  'url',
  'metadata',
  'configuration',
  'historyLength',
  'status',
  'state',
  '\0',
  '\u2028',
  unit(0xd83d),
]

const numbers: readonly string[] = [
  '0',
  '-0',
  '1',
  '-1',
  '0.1',
  '1.0',
  '1e2',
  '1E-400',
  '1e308',
  '1e309',
  '-1e309',
  '2147483647',
  '2147483648',
  '-2147483649',
  '4294967296',
  '9007199254740993',
  '1'.repeat(400),
  `0.${'3'.repeat(400)}`,
]

/** What is no JSON, although it looks like it. */
const broken: readonly string[] = [
  'NaN',
  'Infinity',
  'undefined',
  '01',
  '.5',
  '+1',
  "'a'",
  '"\n"',
  '"\\x"',
  '[1,]',
  '{a:1}',
  '',
  '"',
  '{',
  ']',
  '/**/1',
]

export function strangeText(random: Random): string {
  return random.pick(texts)
}

export function strangeName(random: Random): string {
  return random.pick(names)
}

/** A value that nobody asked for. */
export function strangeTree(random: Random): Tree {
  switch (random.below(12)) {
    case 0:
      return { kind: 'text', text: random.pick(['null', 'true', 'false']) }
    case 1:
    case 2:
      return { kind: 'text', text: random.pick(numbers) }
    case 3:
      return random.percent(50) ? toTree({}) : toTree([])
    case 4:
      return deep(random)
    case 5:
      return { kind: 'object', members: [[strangeName(random), toTree(strangeText(random))]] }
    case 6:
      return toTree([null, [null], { a: null }])
    case 7:
      return random.percent(20) ? { kind: 'text', text: random.pick(broken) } : toTree(strangeText(random))
    case 8:
      return toTree(Array.from({ length: random.pick([2, 20, 1_001]) }, () => ({ text: 'x' })))
    default:
      return toTree(strangeText(random))
  }
}

/** Arrays or objects inside each other. */
function deep(random: Random): Tree {
  const levels = random.pick([5, 61, 62, 63, 64, 65, 66, 200, 1_001, 5_000])
  const [open, close] = random.percent(50) ? ['[', ']'] : ['{"a":', '}']
  return { kind: 'text', text: `${open.repeat(levels)}1${close.repeat(levels)}` }
}
