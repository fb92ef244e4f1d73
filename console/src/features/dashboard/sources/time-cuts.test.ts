import { expect, test } from 'vitest'
import { cutAt, cutsOf } from './time-cuts.ts'

const BERLIN = 'Europe/Berlin'
const iso = (starts: readonly number[]) => starts.map((start) => new Date(start).toISOString())

test('given days across summer time, when cut, then each begins at its midnight', () => {
  const from = Date.parse('2026-03-28T10:00:00Z')
  const { starts } = cutsOf('day', BERLIN, from, Date.parse('2026-03-31T00:00:00Z'))
  expect(iso(starts)).toEqual([
    '2026-03-27T23:00:00.000Z',
    '2026-03-28T23:00:00.000Z',
    '2026-03-29T22:00:00.000Z',
    '2026-03-30T22:00:00.000Z',
  ])
})

test('given months of different lengths, when cut, then none is left out', () => {
  const from = Date.parse('2026-01-31T12:00:00Z')
  const { starts } = cutsOf('month', 'UTC', from, Date.parse('2026-05-01T00:00:00Z'))
  expect(iso(starts).map((start) => start.slice(0, 7))).toEqual([
    '2026-01',
    '2026-02',
    '2026-03',
    '2026-04',
  ])
})

test('given weeks, when cut, then they begin on Mondays', () => {
  const from = Date.parse('2026-10-22T12:00:00Z')
  const { starts } = cutsOf('week', BERLIN, from, Date.parse('2026-11-04T00:00:00Z'))
  expect(iso(starts)).toEqual([
    '2026-10-18T22:00:00.000Z',
    '2026-10-25T23:00:00.000Z',
    '2026-11-01T23:00:00.000Z',
  ])
})

test('given more hours than there is room for, when cut, then the bars are days', () => {
  expect(cutsOf('hour', 'UTC', 0, 60 * 86_400_000).bucket).toBe('day')
})

test('given moments, when placed, then each is in the last bar that has begun', () => {
  expect([-1, 0, 9, 10, 25].map((at) => cutAt([0, 10, 20], at))).toEqual([-1, 0, 0, 1, 2])
})
