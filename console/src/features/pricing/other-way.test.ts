import { expect, test } from 'vitest'
import { otherWay, outputInForce } from './other-way.ts'
import { draftIn, EMPTY_DRAFT } from './price-draft.ts'

const PER_RATIO = 2
const served = { model: 'gpt-4o', isUnset: false, completionRatio: 4 }
const unserved = { model: 'spark', isUnset: false }
const termsOf = (mode: 'ratio' | 'price', completion: Record<string, number> = {}) => ({
  maps: { ModelPrice: {}, ModelRatio: {}, CompletionRatio: completion },
  mode,
  perRatio: PER_RATIO,
})
const ratio = { ...EMPTY_DRAFT, input: '1' }
const price = draftIn(ratio, 'price', PER_RATIO)

test('given a model without its own completion ratio, when output is empty, then the built-in one is used', () => {
  expect(outputInForce(ratio, served, termsOf('ratio'))).toBe('4')
  expect(outputInForce(price, served, termsOf('price'))).toBe('8')
  expect(otherWay(ratio, served, termsOf('ratio'))).toBe('2.00 / 8.00')
  expect(otherWay(price, served, termsOf('price'))).toBe('1 / 4')
})

test('given a model whose completion ratio nobody serves, when listed, then its output price is unknown', () => {
  expect(outputInForce(price, unserved, termsOf('price'))).toBe('')
  expect(otherWay(ratio, unserved, termsOf('ratio'))).toBe('2.00 / –')
  expect(otherWay(price, unserved, termsOf('price'))).toBe('1 / –')
})

test('given an emptied completion ratio, when output is priced, then the old entry is not built in', () => {
  const terms = termsOf('price', { 'gpt-4o': 4 })
  expect(outputInForce(price, served, terms)).toBe('')
  expect(otherWay({ ...price, output: '6' }, served, terms)).toBe('1 / 3')
})

test('given a price per call, when the ratios are off, then no price by tokens is shown', () => {
  const byCall = { ...ratio, call: '0.1' }
  expect(outputInForce(byCall, served, termsOf('ratio'))).toBe('')
  expect(otherWay(byCall, served, termsOf('ratio'))).toBe('')
})
