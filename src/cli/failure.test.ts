import { describe, expect, test } from 'vitest'
import { A2AError, type ErrorCode, errorTable } from '../protocol/errors.ts'
import { usageError } from './command-error.ts'
import { describeFailure } from './failure.ts'

/** Exit codes as [of our own side, of the agent]; what is not listed is 1 on both sides. */
const codes: Readonly<Partial<Record<ErrorCode, readonly [local: number, remote: number]>>> = {
  Unauthenticated: [3, 3],
  PermissionDenied: [3, 3],
  Unavailable: [4, 4],
  DeadlineExceeded: [4, 4],
  NotFound: [4, 1],
  InvalidParams: [2, 1],
  Internal: [5, 1],
}

describe('describeFailure', () => {
  for (const code of Object.keys(errorTable) as ErrorCode[]) {
    test(`gives ${code} its exit codes`, () => {
      const found = (['local', 'remote'] as const).map(
        (origin) => describeFailure(new A2AError(code, 'text', { origin })).exitCode,
      )
      expect(found).toEqual(codes[code] ?? [1, 1])
    })
  }

  test('knows an error of another copy of this package by its data', () => {
    const other = Object.assign(new Error('no'), {
      isA2AError: true,
      code: 'Unauthenticated',
      origin: 'remote',
      violations: [],
      retryAfter: undefined,
    })
    expect(describeFailure(other)).toMatchObject({ code: 'Unauthenticated', message: 'no', exitCode: 3 })
  })

  test('keeps the fields that are wrong', () => {
    const violations = [{ field: 'message.parts', description: 'must not be empty' }]
    expect(describeFailure(new A2AError('InvalidParams', 'x', { violations }))).toMatchObject({
      exitCode: 2,
      violations,
    })
  })

  test('takes usage errors as they are, and everything else for a fault of its own', () => {
    expect(describeFailure(usageError('wrong', 'do it so'))).toEqual({
      code: 'Usage',
      message: 'wrong',
      hint: 'do it so',
      exitCode: 2,
    })
    expect(describeFailure(new RangeError('oops'))).toMatchObject({ code: 'Internal', message: 'oops', exitCode: 5 })
    expect(describeFailure(undefined)).toMatchObject({ code: 'Internal', message: 'undefined', exitCode: 5 })
  })
})
