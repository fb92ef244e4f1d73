import { expect, test } from 'vitest'
import type { PricedModel } from './contract.ts'
import { editorRows } from './editor-rows.ts'

const MAPS = {
  ModelPrice: { 'dall-e-3': 0.04 },
  ModelRatio: { 'a-unserved': 1, 'b-served': 1 },
  CompletionRatio: {},
}
const model = (model_name: string, has_price: boolean, completion_ratio = 0) =>
  ({ model_name, has_price, completion_ratio }) as PricedModel

test('given served, priced and added models, when listed, then each is there once, added ones first', () => {
  const models = [model('b-served', true, 4), model('z-unset', false), model('c-unset', false)]
  expect(editorRows(MAPS, models, ['x-added', 'dall-e-3'])).toEqual([
    { model: 'dall-e-3', isUnset: false },
    { model: 'x-added', isUnset: false },
    { model: 'c-unset', isUnset: true },
    { model: 'z-unset', isUnset: true },
    { model: 'b-served', isUnset: false, completionRatio: 4 },
    { model: 'a-unserved', isUnset: false },
  ])
})
