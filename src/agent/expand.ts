import type { Environment } from './environment.ts'

/** Text after expansion, and the expressions in it that were left as written. */
export interface Expanded {
  readonly text: string
  readonly unknown: readonly string[]
}

/**
 * Expands `${env.NAME}` and `${env.NAME || 'text'}` (also with `??` and more alternatives). An unset variable is empty.
 * Other expressions and `$NAME` stay as they are: nothing is ever evaluated.
 */
export function expandTemplate(text: string, environment: Environment): Expanded {
  const unknown: string[] = []
  const expanded = text.replace(/\$\{([^{}]*)\}/g, (whole, expression: string) => {
    const value = evaluate(expression, environment)
    if (value !== undefined) return value
    if (/\benv\b/.test(expression)) unknown.push(whole)
    return whole
  })
  return { text: expanded, unknown }
}

const operand = /\s*(?:env\.([A-Za-z_]\w*)|env\[(['"])([A-Za-z_]\w*)\2\]|(['"])((?:(?!\4)[^\\]|\\.)*)\4)\s*/y

function evaluate(expression: string, environment: Environment): string | undefined {
  let position = 0
  let result: string | undefined
  for (;;) {
    operand.lastIndex = position
    const match = operand.exec(expression)
    if (match === null) return undefined
    const name = match[1] ?? match[3]
    const value = name === undefined ? match[5]!.replace(/\\(.)/g, '$1') : environment.get(name)
    result ||= value
    position = operand.lastIndex
    if (position === expression.length) return result ?? ''
    const operator = expression.slice(position, position + 2)
    if (operator !== '||' && operator !== '??') return undefined
    position += 2
  }
}

/** Expands `$NAME`, `${NAME}` and `${env.NAME}`; `missing` lists the variables that are not set. */
export function expandShell(
  text: string,
  environment: Environment,
): { readonly text: string; readonly missing: readonly string[] } {
  const missing: string[] = []
  const expanded = expandTemplate(text, environment).text.replace(
    /\$(?:\{([A-Za-z_]\w*)\}|([A-Za-z_]\w*))/g,
    (_, braced?: string, bare?: string) => {
      const name = (braced ?? bare)!
      const value = environment.get(name)
      if (value === undefined) missing.push(name)
      return value ?? ''
    },
  )
  return { text: expanded, missing }
}
