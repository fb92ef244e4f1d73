import { expect, test } from 'vitest'
import { failureText } from './failure-text.ts'

const TEXTS = {
  too_many: 'Add at most {most#} channels at a time.',
  mapping: '{key} must be JSON such as {"400":"500"}.',
  refused: 'The provider refused: {reason}',
}
const failure = (code: string, params: Record<string, string | number> = {}) => ({
  code,
  params,
  message: '服务器的话',
})

test('given values, when rendered, then whole numbers are grouped and words stay as they are', () => {
  expect(failureText(failure('too_many', { most: 1000 }), TEXTS, 'en')).toBe(
    'Add at most 1,000 channels at a time.',
  )
  expect(failureText(failure('refused', { reason: 'pay $1 & {most#}' }), TEXTS, 'en')).toBe(
    'The provider refused: pay $1 & {most#}',
  )
  expect(failureText(failure('mapping', { key: 'status' }), TEXTS, 'en')).toBe(
    'status must be JSON such as {"400":"500"}.',
  )
})

test.each(['foreign_words', '', 'constructor'])(
  'given the code %j, which has no text, when rendered, then the server’s own message is shown',
  (code) => {
    expect(failureText(failure(code, { words: 'no' }), TEXTS, 'en')).toBe('服务器的话')
  },
)
