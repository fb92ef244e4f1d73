import { expect, test } from 'vitest'
import { ApiError } from '../../core/api.ts'
import { draftStore } from './draft-store.ts'
import { priceMapsOf } from './price-draft.ts'
import { refusedPrice } from './refused-price.ts'

const refusal = (code: string, params: Readonly<Record<string, string | number>>): ApiError =>
  new ApiError({ kind: 'rejected', message: 'no', code, params, status: 200, requestId: '' })

test.each([
  ['option_entry_too_large', { key: 'ModelRatio', name: 'a' }, ['a', 'input']],
  ['option_entry_too_small', { key: 'CompletionRatio', name: 'a' }, ['a', 'output']],
  ['option_entry_negative', { key: 'ModelPrice', name: 'a' }, ['a', 'call']],
  ['option_entry_too_large', { key: 'CacheWriteRatio', name: 'a' }, ['a', 'cacheWrite']],
  ['option_price_zero', { name: 'a' }, ['a', 'call']],
  ['option_product_too_large', { key: 'ModelRatio、CompletionRatio', model: 'a' }, ['a', 'input']],
  ['option_product_too_large', { key: '第 3 版价格', model: 'a' }, null],
  ['option_entry_too_large', { key: 'GroupRatio', name: 'vip' }, null],
  ['prices_changed', { in_force: 3, base: 2 }, null],
] as const)('given the refusal %s of %j, when placed, then it is at %j', (code, params, place) => {
  const refused = refusedPrice(refusal(code, params))
  expect(refused && [refused.model, refused.field]).toEqual(place)
})

test('given a refused price, when its model is typed in or saved, then it is forgotten, and by no other', () => {
  const terms = { maps: priceMapsOf(new Map()), mode: 'ratio', perRatio: 2 } as const
  const refused = { model: 'a', field: 'input', message: 'no' } as const
  const store = draftStore()
  store.edit('a', 'input', '9', terms)
  store.refuse(refused)
  store.edit('b', 'input', '1', terms)
  expect(store.refused('a')).toBe(refused)
  expect(store.refused('b')).toBeUndefined()
  store.edit('a', 'input', '1', terms)
  expect(store.refused('a')).toBeUndefined()
  store.refuse(refused)
  store.clear()
  expect(store.refused('a')).toBeUndefined()
})
