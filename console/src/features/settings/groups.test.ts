import { expect, test } from 'vitest'
import { groupOptions, groupProblems, groupRows } from './groups.ts'

const options = new Map([
  ['GroupRatio', '{"default":1,"vip":0.8}'],
  ['UserUsableGroups', '{"default":"默认分组","guest":"访客"}'],
])

test('given the options, when read and written, then they are the same', () => {
  const rows = groupRows(options)
  expect(rows.map((row) => row.name)).toEqual(['default', 'vip', 'guest'])
  expect(groupOptions(rows)).toEqual(Object.fromEntries(options))
})

test('given bad rows, when checked, then each is told its first fault', () => {
  const row = { name: 'a', ratio: '1', isUsable: false, description: '' }
  const rows = [row, { ...row, name: ' ' }, { ...row }, { ...row, name: 'b', ratio: '-1' }]
  expect([...groupProblems(rows)]).toEqual([
    [1, 'nameMissing'],
    [2, 'nameTwice'],
    [3, 'ratio'],
  ])
  expect(groupProblems([row, { ...row, name: 'b', ratio: '' }]).size).toBe(0)
})
