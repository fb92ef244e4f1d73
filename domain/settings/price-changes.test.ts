import { expect, test } from 'vitest'
import { optionsFrom } from './options.ts'
import { priceDifference, rebased } from './price-changes.ts'

const BEFORE = '{"a":{"priority":2},"b":{"flex":0.5,"above":{"tokens":9,"in":2,"out":1}}}'

test('given factors of terms, when compared, then each model that differs is listed as JSON', () => {
  const after = '{"b":{"above":{"out":1,"in":2,"tokens":9},"flex":0.5},"c":{"geo":1.1}}'
  expect(priceDifference('PriceFactors', BEFORE, after)).toEqual([
    { key: 'PriceFactors', name: 'a', from: '{"priority":2}', to: null },
    { key: 'PriceFactors', name: 'c', from: null, to: '{"geo":1.1}' },
  ])
})

test('given a plan of factors, when others changed meanwhile, then it is laid over them', () => {
  const present = optionsFrom([['PriceFactors', '{"a":{"priority":3},"d":{"fast":6}}']])
  const planned = {
    key: 'PriceFactors',
    value: '{"a":{"priority":2},"b":{"geo":1.1}}',
    previous: BEFORE,
  }
  expect(rebased([planned], present)).toMatchObject([
    { value: '{"a":{"priority":3},"d":{"fast":6},"b":{"geo":1.1}}' },
  ])
})
