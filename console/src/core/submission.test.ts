import { expect, test } from 'vitest'
import { beginSubmission, settleSubmission } from './submission.ts'

test('given a submission without a definite answer, when it is sent again, then it has the same key', () => {
  const first = beginSubmission('POST a')
  expect(beginSubmission('POST a').key).toBe(first.key)
  settleSubmission(first, false)
  const again = beginSubmission('POST a')
  expect(again.key).toBe(first.key)
  settleSubmission(again, true)
  expect(beginSubmission('POST a').key).not.toBe(first.key)
})

test('given a submission whose answer was lost, when another came in between, then its key is new', () => {
  const on = beginSubmission('PUT on')
  settleSubmission(on, false)
  settleSubmission(beginSubmission('PUT off'), true)
  expect(beginSubmission('PUT on').key).not.toBe(on.key)
})

test('given two submissions at once, when the answer to the first is lost, then it keeps its key', () => {
  const [one, other] = [beginSubmission('POST 1'), beginSubmission('POST 2')]
  expect(one.key).not.toBe(other.key)
  settleSubmission(one, false)
  settleSubmission(other, true)
  expect(beginSubmission('POST 1').key).toBe(one.key)
})
