import { expect, test } from 'vitest'
import { editorRows } from './editor-rows.ts'
import { priceMapsOf } from './price-draft.ts'

const MAPS = priceMapsOf(
  new Map([
    ['ModelPrice', '{"dall-e-3":0.04}'],
    ['ModelRatio', '{"a-unserved":1,"b-served":1}'],
    // The ratio of a cache is no price.
    ['CacheRatio', '{"d-cached":0.5}'],
  ]),
)
const model = (model_name: string, has_price: boolean) => ({ model_name, has_price })

test('given served, priced and added models, when listed, then each is there once, added ones first', () => {
  const models = [model('b-served', true), model('z-unset', false), model('c-unset', false)]
  const ratios = { 'b-served': 4, 'a-unserved': 0 }
  expect(editorRows({ maps: MAPS, models, ratios, added: ['x-added', 'dall-e-3'] })).toEqual([
    { model: 'dall-e-3', isUnset: false },
    { model: 'x-added', isUnset: false },
    { model: 'c-unset', isUnset: true },
    { model: 'z-unset', isUnset: true },
    { model: 'b-served', isUnset: false, completionRatio: 4 },
    { model: 'a-unserved', isUnset: false, completionRatio: 0 },
  ])
})
