import { expect, test } from 'vitest'
import { callableModels, nextStep, type Progress } from './steps.ts'

const FRESH: Progress = {
  served: [],
  priced: new Set(['gpt-4o-mini']),
  isSelfUse: false,
  hasToken: false,
  hasCall: false,
}

test.each<[Partial<Progress>, string | null]>([
  [{}, 'channel'],
  [{ served: ['mine-7b'] }, 'price'],
  [{ served: ['mine-7b'], isSelfUse: true }, 'token'],
  [{ served: ['mine-7b', 'gpt-4o-mini'] }, 'token'],
  [{ hasToken: true }, 'channel'],
  [{ served: ['gpt-4o-mini'], hasToken: true }, 'call'],
  [{ hasCall: true }, null],
])('given %j, when asked what is next, then %s', (part, step) => {
  expect(nextStep({ ...FRESH, ...part })).toBe(step)
})

test('given a model without a price, when asked what can be called, then it is left out', () => {
  expect(callableModels({ ...FRESH, served: ['mine-7b', 'gpt-4o-mini'] })).toEqual(['gpt-4o-mini'])
})
