import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { cleanLine, cleanText, createCleaner, width } from './terminal-text.ts'

const rows: readonly { readonly name: string; readonly text: string; readonly clean: string }[] = [
  { name: 'plain text', text: 'grüße, 你好 👋\n\tok', clean: 'grüße, 你好 👋\n\tok' },
  { name: 'a colour', text: 'a\u001b[31;1mred\u001b[0mb', clean: 'aredb' },
  { name: 'a cleared screen', text: '\u001b[2J\u001b[Hgone', clean: 'gone' },
  { name: 'a title that ends with a bell', text: 'a\u001b]0;owned\u0007b', clean: 'ab' },
  {
    name: 'a link that ends with a terminator',
    text: '\u001b]8;;https://evil.test\u001b\\link\u001b]8;;\u001b\\',
    clean: 'link',
  },
  { name: 'a device control string', text: 'a\u001bPq#0\u001b\\b', clean: 'ab' },
  { name: 'a string without an end, up to its line end', text: 'a\u001b]0;hidden\nshown', clean: 'a\nshown' },
  { name: 'two-byte escapes', text: 'a\u001bcb\u001b(Bc', clean: 'abc' },
  { name: 'C1 characters', text: 'a\u009b31mb\u009d0;t\u009cc\u0085d', clean: 'abcd' },
  { name: 'bells, backspaces and delete', text: 'a\u0007b\b\bc\u007f\u0000d', clean: 'abcd' },
  { name: 'carriage returns that write over a line', text: 'rm -rf /\rls', clean: 'rm -rf /\nls' },
  { name: 'Windows line ends', text: 'a\r\nb\r\n', clean: 'a\nb\n' },
  { name: 'characters that turn the direction', text: 'a\u202eb\u2066c', clean: 'abc' },
]

describe('cleanText', () => {
  for (const { name, text, clean } of rows) {
    test(`of ${name}`, () => {
      expect(cleanText(text)).toBe(clean)
    })
    test(`of ${name}, character by character`, () => {
      const cleaner = createCleaner()
      expect([...text].map(cleaner).join('')).toBe(clean)
    })
  }

  test('leaves nothing that a terminal obeys, however the text is cut', () => {
    const nasty = fc.array(
      fc.constantFrom('a', '\n', '\r', '\u001b', '[', ']', '3', 'm', ';', '\u0007', '\\', '\u009b', '\u202e', 'P'),
    )
    fc.assert(
      fc.property(nasty, fc.nat(20), (chars, cut) => {
        const text = chars.join('')
        const cleaner = createCleaner()
        const result = cleaner(text.slice(0, cut)) + cleaner(text.slice(cut))
        expect(result).toBe(cleanText(text))
        for (const char of result) {
          const code = char.charCodeAt(0)
          expect(code === 0x0a || (code >= 0x20 && code < 0x7f)).toBe(true)
        }
      }),
    )
  })
})

test('cleanLine puts a text on one line that fits', () => {
  expect(cleanLine(' a \n\t b ')).toBe('a b')
  expect(cleanLine('abcdef', 6)).toBe('abcdef')
  expect(cleanLine('abcdefg', 6)).toBe('abcde…')
  expect(cleanLine('你好你好', 6)).toBe('你好…')
})

test('width counts the columns of a terminal', () => {
  expect([width('abc'), width('你好'), width('e\u0301'), width('👋')]).toEqual([3, 4, 1, 2])
})
