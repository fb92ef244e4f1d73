import { expect, test } from 'vitest'
import { newReplay, replayBody, replayProblems } from './replay-form.ts'

const form = { ...newReplay(1_770_000_000), name: 'a week' }

test('given a new form with a name, when checked, then it can be sent', () => {
  expect(replayProblems(form)).toEqual({})
  expect(replayBody(form, 'UTC', true)).toMatchObject({
    from: 1_769_395_200_000,
    to: 1_770_000_000_000,
    prices: 'today',
    zone: 'UTC',
  })
})

test.each([
  [{ name: ' ' }, { name: 'name' }],
  [{ from: '' }, { from: 'from' }],
  [{ to: form.from }, { to: 'order' }],
  [{ prices: 'revision' }, { revision: 'revision' }],
])('given %j, when checked, then the field says why', (part, problems) => {
  expect(replayProblems({ ...form, ...part })).toEqual(problems)
})

test('given a user, when a body is made, then it breaks down by nothing that only administrators see', () => {
  expect(replayBody(form, 'UTC', false)).toMatchObject({ by: ['model', 'group', 'token'] })
})
