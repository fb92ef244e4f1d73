import { expect, test } from 'vitest'
import { cssWidths, leftOut, widthOf } from './column-widths.ts'

const size = (meta: object, dragged = {}) => widthOf('name', meta, dragged)

test('given columns with shares, when the table is wider than they need, then they part what is left', () => {
  const sizes = [
    size({ width: 100 }),
    size({ width: 80, share: 1 }),
    size({ width: 120, share: 3 }),
  ]
  expect(cssWidths(sizes, 300)).toEqual([
    '100px',
    'calc(80px + 0.25 * max(0px, 100cqi - 300px))',
    'calc(120px + 0.75 * max(0px, 100cqi - 300px))',
  ])
})

test('given a growing column, when it was dragged, then it keeps that width, else it takes what is left', () => {
  expect(cssWidths([size({ width: 80, isGrowing: true })], 80)).toEqual([undefined])
  for (const meta of [{ isGrowing: true }, { share: 2 }])
    expect(cssWidths([size(meta, { name: 222 })], 222)).toEqual(['222px'])
})

test('given too little room for all columns, when fitted, then those optional on phones go first', () => {
  const columns = [
    { id: 'name', width: 100, meta: { phone: 'title' } },
    { id: 'type', width: 100, meta: {} },
    { id: 'user', width: 100, meta: { phone: 'meta' } },
    { id: 'group', width: 100, meta: {} },
    { id: 'key', width: 0, meta: { isKept: true } },
    { id: 'cost', width: 100, meta: { phone: 'value' } },
    { id: 'actions', width: 100, meta: { pinned: 'end' } },
  ] as const
  const out = (room: number) => [...leftOut(columns, room)]
  expect(out(600)).toEqual([])
  expect(out(599)).toEqual(['group'])
  expect(out(400)).toEqual(['group', 'type'])
  expect(out(399)).toEqual(['group', 'type', 'user'])
  expect(out(10)).toEqual(['group', 'type', 'user'])
})
