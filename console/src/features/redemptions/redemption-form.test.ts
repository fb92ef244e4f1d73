import { expect, test } from 'vitest'
import { newRedemption, redemptionProblems } from './redemption-form.ts'
import { redemptionActions } from './redemption-status.ts'

const form = newRedemption('quota', 500_000)

test('given a new code, when the form opens, then it is worth 100000 and one is made', () => {
  expect(form).toEqual({ name: '', quota: '100000', count: '1' })
  expect(newRedemption('currency', 500_000).quota).toBe('0.2')
})

test.each([
  [{}, { name: 'name' }],
  [{ name: '   ' }, { name: 'name' }],
  [{ name: '春'.repeat(20) }, {}],
  [{ name: '春'.repeat(21) }, { name: 'name' }],
  [{ name: 'a', quota: '0' }, { quota: 'quota' }],
  [{ name: 'a', quota: '-5' }, { quota: 'quota' }],
  [{ name: 'a', quota: '1.5' }, { quota: 'quota' }],
  [{ name: 'a', count: '0' }, { count: 'count' }],
  [{ name: 'a', count: '' }, { count: 'count' }],
  [{ name: 'a', count: '1.5' }, { count: 'count' }],
  [{ name: 'a', count: '100' }, {}],
  [{ name: 'a', count: '101' }, { count: 'countMany' }],
])('given %j, when checked, then %j', (change, problems) => {
  expect(redemptionProblems({ ...form, ...change }, 'quota', 500_000)).toEqual(problems)
})

test.each([
  [1, ['edit', 'disable', 'delete']],
  [2, ['enable', 'delete']],
  [3, ['delete']],
  [9, ['enable', 'delete']],
])('given a code of status %i, when its menu opens, then it offers %j', (status, actions) => {
  expect(redemptionActions({ status })).toEqual(actions)
})
