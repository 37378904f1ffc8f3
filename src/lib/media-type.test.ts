import { expect, test } from 'vitest'
import { acceptWeight, parseMediaType } from './media-type.ts'

const types: readonly (readonly [text: string, type: string, parameters: Record<string, string>])[] = [
  ['application/json', 'application/json', {}],
  ['Application/JSON ; Charset="UTF-8"', 'application/json', { charset: 'UTF-8' }],
  ['text/html;level=1;q=0.5', 'text/html', { level: '1', q: '0.5' }],
  ['', '', {}],
  ['a/b;c', 'a/b', {}],
]
for (const [text, type, parameters] of types) {
  test(`a media type is read: ${JSON.stringify(text)}`, () => {
    expect(parseMediaType(text)).toEqual({ type, parameters })
  })
}

const accepts: readonly (readonly [accept: string, weight: number | undefined])[] = [
  ['application/a2a+json', 1],
  ['text/html, Application/A2A+JSON;q=0.4', 0.4],
  ['application/a2a+json;q=0', 0],
  ['*/*', undefined],
  ['application/json', undefined],
  ['application/a2a+json;q=x', 1],
]
for (const [accept, weight] of accepts) {
  test(`REST-35 the weight in Accept: ${accept}`, () => {
    expect(acceptWeight(accept, 'application/a2a+json')).toBe(weight)
  })
}
