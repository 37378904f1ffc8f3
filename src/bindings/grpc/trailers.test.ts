import { expect, test } from 'vitest'
import { A2AError } from '../../protocol/errors.ts'
import { decodeStatusDetails } from './status.ts'
import { errorTrailers } from './trailers.ts'

test.each([
  ['is cut in the middle of a character', `x${'𝕳'.repeat(1_000)}`],
  ['holds half a character', 'a\ud835b'],
])('an error gets out although its text %s', (_what, text) => {
  const error = new A2AError('TaskNotFound', text, { metadata: { taskId: 't' } })
  const trailers = errorTrailers(error, { overrides: {} })
  expect(trailers['grpc-status']).toBe('5')
  const shown = decodeURIComponent(trailers['grpc-message'] ?? '')
  expect(shown[0]).toBe(text[0])
  const { message, details } = decodeStatusDetails(Buffer.from(trailers['grpc-status-details-bin'] ?? '', 'base64'))
  expect(message).toBe(shown)
  expect(details).toHaveLength(1)
})
