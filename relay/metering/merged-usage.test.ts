import { expect, test } from 'vitest'
import type { JsonObject } from '../json.ts'
import { mergedUsage } from './merged-usage.ts'

const BEFORE = { input: 3, output: 1, details: { cached: 2 }, tier: 'standard' }

test.each<[what: string, now: JsonObject, merged: JsonObject]>([
  ['a later count', { output: 9 }, { ...BEFORE, output: 9 }],
  ['a zero', { output: 0 }, BEFORE],
  ['garbage', { output: 'many', details: null }, BEFORE],
  [
    'a count within',
    { details: { cached: 5, more: 1 } },
    { ...BEFORE, details: { cached: 5, more: 1 } },
  ],
  ['an object in place of a count', { output: { text: 1 } }, { ...BEFORE, output: { text: 1 } }],
  ['another text', { tier: 'priority' }, { ...BEFORE, tier: 'priority' }],
  ['a new member', { thoughts: null }, { ...BEFORE, thoughts: null }],
])('given %s, when merged with an earlier report, then it says what holds', (_, now, merged) => {
  const before = structuredClone(BEFORE)
  expect(mergedUsage(before, now)).toEqual(merged)
  expect(before).toEqual(BEFORE)
})

test('given the same report again, when merged, then nothing is copied', () => {
  expect(mergedUsage(BEFORE, structuredClone(BEFORE))).toBe(BEFORE)
  expect(mergedUsage(null, BEFORE)).toBe(BEFORE)
})

test('given a member named __proto__, when merged, then it is a member like any other', () => {
  const now = JSON.parse('{"__proto__":7}') as JsonObject
  expect(JSON.stringify(mergedUsage({ input: 1 }, now))).toBe('{"input":1,"__proto__":7}')
})
