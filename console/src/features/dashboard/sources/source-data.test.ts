import { expect, test } from 'vitest'
import { changeOf, differences, percentOf, sourcePoints, type SourceRow } from './source-data.ts'

/** Quota is odd enough that a row put into a wrong bar shows. */
const rows = (seed: number): SourceRow[] =>
  Array.from({ length: 60 }, (_, index) => ({
    at: (index * 7 + seed) % 50,
    model: ['a', 'b', 'c'][(index * seed) % 3] ?? 'a',
    quota: index * index + seed,
    count: index,
    tokens: 2 * index,
  }))

test('given two sources, when drawn, then every bar has what a sum over its rows has', () => {
  const [first, second] = [rows(1), rows(2)]
  const starts = [0, 10, 20, 40]
  const points = sourcePoints(starts, new Set(['a', 'b']), { first, second, label: String })
  const summed = (all: readonly SourceRow[], at: number, model: string | null) => {
    const next = starts[starts.indexOf(at) + 1] ?? Number.POSITIVE_INFINITY
    const isIn = (row: SourceRow) => row.at >= at && row.at < next
    return all
      .filter((row) => isIn(row) && (model === null || row.model === model))
      .reduce((sum, { quota }) => sum + quota, 0)
  }
  for (const [index, start] of starts.entries()) {
    const point = points[index]
    expect(point).toMatchObject({
      total: summed(first, start, null),
      beside: { total: summed(second, start, null) },
    })
    expect(point?.values['a'] ?? 0).toBe(summed(first, start, 'a'))
    expect(point?.values[''] ?? 0).toBe(summed(first, start, 'c'))
    expect(point?.beside?.values['b'] ?? 0).toBe(summed(second, start, 'b'))
  }
})

const key = (name: string, quota: number) => ({ key: name, name, quota, count: 1, tokens: 10 })

test('given keys of either source, when compared, then the largest change is first and none is lost', () => {
  const first = { keys: [key('kept', 200), key('gone', 30)], isWhole: true }
  const second = { keys: [key('kept', 150), key('new', 500)], isWhole: true }
  const found = differences(first, second, 'quota')
  expect(found.map((one) => [one.key, changeOf(one, 'quota'), percentOf(one, 'quota')])).toEqual([
    ['new', 500, null],
    ['kept', -50, -25],
    ['gone', -30, -100],
  ])
})

test('given a source that is not whole, when it lacks a key, then its figure is not known', () => {
  const first = { keys: [], isWhole: false }
  const second = { keys: [key('seen', 5)], isWhole: true }
  expect(differences(first, second, 'quota').map((one) => changeOf(one, 'quota'))).toEqual([null])
})
