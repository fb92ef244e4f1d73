import { expect, test } from 'vitest'
import { callableModels, isDone, nextStep, type Progress, unpricedModels } from './steps.ts'

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

test.each<[Partial<Progress>, boolean, string[]]>([
  [{}, false, []],
  [{ served: ['gpt-4o-mini'] }, true, []],
  [{ served: ['mine-7b', 'gpt-4o-mini', 'mine-8b'] }, false, ['mine-7b', 'mine-8b']],
  [{ served: ['mine-7b', 'gpt-4o-mini'], isSelfUse: true }, true, []],
])(
  'given %j, when asked about prices, then done is %s and these lack one: %j',
  (part, done, lacking) => {
    expect(isDone('price', { ...FRESH, ...part })).toBe(done)
    expect(unpricedModels({ ...FRESH, ...part })).toEqual(lacking)
  },
)

test('given a model without a price, when asked what can be called, then it is left out', () => {
  expect(callableModels({ ...FRESH, served: ['mine-7b', 'gpt-4o-mini'] })).toEqual(['gpt-4o-mini'])
})
