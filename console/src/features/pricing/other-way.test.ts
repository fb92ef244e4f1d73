import { expect, test } from 'vitest'
import { otherWay, outputInForce } from './other-way.ts'
import { draftIn, EMPTY_DRAFT, priceMapsOf } from './price-draft.ts'

const PER_RATIO = 2
const known = { model: 'gpt-4o', isUnset: false, completionRatio: 4 }
const unknown = { model: 'gpt-4o', isUnset: false }
const termsOf = (mode: 'ratio' | 'price') => ({
  maps: priceMapsOf(new Map()),
  mode,
  perRatio: PER_RATIO,
})
const ratio = { ...EMPTY_DRAFT, input: '1' }
const price = draftIn(ratio, 'price', PER_RATIO)

test('given an empty output, when the ratio that holds is known, then prices follow from it', () => {
  expect(outputInForce(ratio, known)).toBe('4')
  expect(outputInForce(price, known)).toBe('8')
  expect(otherWay(ratio, known, termsOf('ratio'))).toBe('2.00 / 8.00')
  expect(otherWay(price, known, termsOf('price'))).toBe('1 / 4')
})

test('given an empty output, when the server told no ratio, then its price is unknown and no zero', () => {
  expect(outputInForce(price, unknown)).toBe('')
  expect(otherWay(ratio, unknown, termsOf('ratio'))).toBe('2.00 / –')
  expect(otherWay(price, unknown, termsOf('price'))).toBe('1 / –')
})

test('given output whose ratio is 0, when it is left empty, then it is free', () => {
  const free = { ...known, completionRatio: 0 }
  expect(outputInForce(price, free)).toBe('0')
  expect(otherWay(ratio, free, termsOf('ratio'))).toBe('2.00 / 0.00')
})

test('given a typed output, when it is shown the other way, then the ratio that held counts no more', () => {
  expect(otherWay({ ...price, output: '6' }, known, termsOf('price'))).toBe('1 / 3')
})

test('given a price per call, when the ratios are off, then no price by tokens is shown', () => {
  const byCall = { ...ratio, call: '0.1' }
  expect(outputInForce(byCall, known)).toBe('')
  expect(otherWay(byCall, known, termsOf('ratio'))).toBe('')
})
