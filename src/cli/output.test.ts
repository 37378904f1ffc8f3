import { describe, expect, test } from 'vitest'
import { usageError } from './command-error.ts'
import { createOutput, type Output, type OutputStream } from './output.ts'
import { createProgressLine } from './progress-line.ts'
import { failureText, reportFailure } from './report.ts'

interface Recorder extends OutputStream {
  readonly text: () => string
  fail(code: string): void
  drained(): void
}

function recorder({
  isTTY = false,
  slow = false,
}: {
  readonly isTTY?: boolean
  readonly slow?: boolean
} = {}): Recorder {
  let text = ''
  let onError: (error: NodeJS.ErrnoException) => void = () => {}
  let onDrain = (): void => {}
  return {
    isTTY,
    columns: 60,
    write(piece) {
      text += piece
      return !slow
    },
    once(_, listener) {
      onDrain = listener
    },
    on(_, listener) {
      onError = listener
    },
    text: () => text,
    fail: (code) => onError(Object.assign(new Error(code), { code })),
    drained: () => onDrain(),
  }
}

const colored: readonly {
  readonly name: string
  readonly isTTY: boolean
  readonly env: Record<string, string>
  readonly colors: boolean
}[] = [
  { name: 'a terminal', isTTY: true, env: {}, colors: true },
  { name: 'a pipe', isTTY: false, env: {}, colors: false },
  { name: 'a terminal with NO_COLOR', isTTY: true, env: { NO_COLOR: '1' }, colors: false },
  { name: 'a terminal with an empty NO_COLOR', isTTY: true, env: { NO_COLOR: '' }, colors: true },
  { name: 'a dumb terminal', isTTY: true, env: { TERM: 'dumb' }, colors: false },
]

describe('createOutput', () => {
  for (const { name, isTTY, env, colors } of colored) {
    test(`has ${colors ? 'colours' : 'no colours'} on ${name}`, () => {
      const output = createOutput({ out: recorder({ isTTY }), err: recorder(), env })
      expect(output.out.red('x')).toBe(colors ? '\u001b[31mx\u001b[39m' : 'x')
      expect(output.err.red('x')).toBe('x')
    })
  }

  test('makes notes and warnings safe and writes results as they are', async () => {
    const [out, err] = [recorder(), recorder()]
    const output = createOutput({ out, err, env: {} })
    output.note('a\u001b[2Jb')
    output.warn('c\u001b]0;d\u0007')
    await output.write('e\u001b[31m')
    await output.document({ a: 1 })
    expect(err.text()).toBe('ab\nwarning: c\n')
    expect(out.text()).toBe('e\u001b[31m{"a":1}\n')
  })

  test('waits for a slow reader', async () => {
    const out = recorder({ slow: true })
    const output = createOutput({ out, err: recorder(), env: {} })
    let written = false
    const writing = output.write('x').then(() => {
      written = true
    })
    await Promise.resolve()
    expect(written).toBe(false)
    out.drained()
    await writing
    expect(written).toBe(true)
  })

  test('ends when nobody reads any more, unless told to go on', async () => {
    let ended = 0
    const out = recorder({ slow: true })
    const output = createOutput({ out, err: recorder(), env: {}, whenClosed: () => (ended += 1) })
    const writing = output.write('x')
    out.fail('EPIPE')
    await writing
    expect(ended).toBe(1)
    output.goOnWhenClosed()
    out.fail('EPIPE')
    await output.write('y')
    expect(ended).toBe(1)
    expect(() => out.fail('EIO')).toThrow('EIO')
  })
})

describe('reportFailure', () => {
  const report = async (json: boolean, debug: boolean): Promise<readonly [number, string, string]> => {
    const [out, err] = [recorder(), recorder()]
    const output: Output = createOutput({ json, out, err, env: {} })
    const code = await reportFailure(output, usageError('no \u001b[31mway', 'another one'), { debug })
    return [code, out.text(), err.text()]
  }

  test('writes lines for people on standard error', async () => {
    expect(await report(false, false)).toEqual([2, '', 'error: no way\nhint: another one\n'])
  })

  test('writes one document on standard output with --json', async () => {
    const [code, out, err] = await report(true, false)
    const error = { code: 'Usage', message: 'no \u001b[31mway', exitCode: 2, hint: 'another one' }
    expect([code, JSON.parse(out), err]).toEqual([2, { error }, ''])
  })

  test('tells where an error comes from with --debug only', async () => {
    const [, , err] = await report(false, true)
    expect(err).toContain('output.test.ts')
  })

  test('lists the fields when several are wrong', () => {
    const violations = [
      { field: 'a', description: 'is required' },
      { field: 'b', description: 'is too long' },
    ]
    const output = createOutput({ out: recorder(), err: recorder(), env: {} })
    expect(failureText({ code: 'InvalidParams', message: 'a: is required', exitCode: 2, violations }, output)).toBe(
      'error: a: is required\n  a: is required\n  b: is too long\n',
    )
  })
})

test('createProgressLine says nothing in a pipe, and cleans up after itself on a terminal', async () => {
  const [pipe, terminal] = [recorder(), recorder({ isTTY: true })]
  for (const err of [pipe, terminal]) {
    const line = createProgressLine(createOutput({ out: recorder(), err, env: {} }), { patience: 0, every: 1 })
    line.show('work\u001b[31ming')
    await new Promise((resolve) => setTimeout(resolve, 20))
    line.stop()
  }
  expect(pipe.text()).toBe('')
  expect(terminal.text()).toContain('working 0 s')
  expect(terminal.text().endsWith('\r\u001b[2K')).toBe(true)
})
