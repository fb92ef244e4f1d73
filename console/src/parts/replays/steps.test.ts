import { expect, test } from 'vitest'
import { byImpact, repricingSteps, waterfallBars } from './steps.ts'

test('given amounts before and after rounding, when split, then both steps add up to the difference', () => {
  const line = { quota: 104, repriced: 155, exact: '99.6', exact_repriced: '150.2' }
  expect(repricingSteps(line)).toMatchObject({ prices: 51, rounding: 0 })
  const raised = { quota: 3, repriced: 3, exact: '0.3', exact_repriced: '1.9' }
  expect(repricingSteps(raised)).toMatchObject({ prices: 2, rounding: -2 })
})

test('given sums beyond 2^53 before rounding, when split, then no digit is lost', () => {
  const line = {
    quota: 0,
    repriced: 7,
    exact: '90071992547409930.25',
    exact_repriced: '90071992547409937.75',
  }
  expect(repricingSteps(line)).toMatchObject({ prices: 8, rounding: -1 })
})

test('given charges of a thousand amounts, when split, then the steps are those of a sum of thousandths', () => {
  const charges = Array.from({ length: 1_000 }, (_, index) => ({
    exact: index * 137 + 1,
    repriced: index * 91 + 500,
  }))
  const rounded = (thousandths: number): number => Math.max(1, Math.round(thousandths / 1_000))
  const total = (of: (one: (typeof charges)[number]) => number): number =>
    charges.reduce((sum, one) => sum + of(one), 0)
  const text = (thousandths: number): string => (thousandths / 1_000).toFixed(3)
  const steps = repricingSteps({
    quota: total(({ exact }) => rounded(exact)),
    repriced: total(({ repriced }) => rounded(repriced)),
    exact: text(total(({ exact }) => exact)),
    exact_repriced: text(total(({ repriced }) => repriced)),
  })
  expect(steps.prices).toBe(Math.round(total(({ exact, repriced }) => repriced - exact) / 1_000))
  expect(steps.charged + steps.prices + steps.rounding).toBe(steps.repriced)
})

test('given a dearer and a cheaper step, when drawn, then each bar begins where the one before ends', () => {
  const bars = waterfallBars({ charged: 100, prices: -30, rounding: 4, repriced: 74 })
  expect(bars.map(({ from, to }) => [from, to])).toEqual([
    [0, 100],
    [100, 70],
    [70, 74],
    [0, 74],
  ])
})

test('given lines that change, when sorted by impact, then those who pay more and less are apart', () => {
  const line = (key: string, quota: number, repriced: number) => ({
    key,
    quota,
    repriced,
    bucket: null,
    name: '',
    key2: '',
    name2: '',
    requests: 1,
    failures: 0,
    unpriced: 0,
    exact: '0',
    exact_repriced: '0',
    prompt_tokens: 0,
    completion_tokens: 0,
  })
  const lines = [line('a', 10, 12), line('b', 10, 90), line('c', 10, 10), line('d', 10, 4)]
  const { more, less } = byImpact(lines, 1)
  expect([more, less].map((side) => side.map(({ key }) => key))).toEqual([['b'], ['d']])
})
