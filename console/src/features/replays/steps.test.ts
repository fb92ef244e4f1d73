import { expect, test } from 'vitest'
import { steps } from './steps.ts'

test('given amounts before and after rounding, when split, then both steps add up to the difference', () => {
  const line = { quota: 104, repriced: 155, exact: '99.6', exact_repriced: '150.2' }
  expect(steps(line)).toEqual({ prices: 51, rounding: 0 })
  const raised = { quota: 3, repriced: 3, exact: '0.3', exact_repriced: '1.9' }
  expect(steps(raised)).toEqual({ prices: 2, rounding: -2 })
})
