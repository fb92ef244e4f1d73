import { expect, test } from 'vitest'
import { bucketsOf } from './buckets.ts'
import { greatest, modelUses, OTHER, quotaPoints, totalUse } from './series.ts'

const rows = Array.from({ length: 12 }, (_, index) => ({
  model_name: `m${index}`,
  created_at: 1_790_000_000 - index * 3600,
  count: index,
  quota: 100 - index,
  token_used: 3,
}))

test('given twelve models, when the greatest are named, then seven have a name and nothing is lost', () => {
  const uses = modelUses(rows)
  const { named, other } = greatest(uses, 'quota')
  expect(named.map((use) => use.model)).toEqual(['m0', 'm1', 'm2', 'm3', 'm4', 'm5', 'm6'])
  expect(named.reduce((sum, use) => sum + use.quota, other)).toBe(totalUse(rows).quota)
})

test('given eight models, when named, then none is hidden behind "other"', () => {
  expect(greatest(modelUses(rows.slice(0, 8)), 'count')).toMatchObject({ other: 0 })
  expect(greatest(modelUses(rows.slice(0, 8)), 'count').named).toHaveLength(8)
})

test('given bars, when stacked, then each total is the sum of its parts and the rest is under other', () => {
  const points = quotaPoints(
    bucketsOf(rows, 'day', { start: 1_790_000_000, end: 1_790_000_000 }),
    new Set(['m0']),
  )
  for (const { values, total } of points)
    expect(Object.values(values).reduce((a, b) => a + b, 0)).toBe(total)
  expect(points.reduce((sum, point) => sum + (point.values[OTHER] ?? 0), 0)).toBe(
    totalUse(rows).quota - 100,
  )
})
