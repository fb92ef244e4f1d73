import { expect, test } from 'vitest'
import { rowStep, stepped } from './row-keys.ts'

const press = (key: string, isOnRow: boolean, more: Partial<KeyboardEvent> = {}) =>
  rowStep({ key, ctrlKey: false, metaKey: false, altKey: false, ...more } as KeyboardEvent, isOnRow)

test.each([
  ['j', false, 4, 5],
  ['k', false, 4, 3],
  ['j', true, -1, 0],
  ['k', true, 0, 0],
  ['j', true, 19, 19],
  ['ArrowDown', true, 4, 5],
  ['PageDown', true, 4, 14],
  ['PageUp', true, 4, 0],
  ['Home', true, 4, 0],
  ['End', true, 4, 19],
])(
  'given %s, on a row: %j, when at row %i of 20, then row %i is next',
  (key, isOnRow, from, to) => {
    const step = press(key, isOnRow)
    expect(step && stepped(from, step, 20)).toBe(to)
  },
)

test.each([
  ['ArrowDown', false, {}],
  ['End', false, {}],
  ['x', true, {}],
  ['j', true, { ctrlKey: true }],
  ['k', false, { metaKey: true }],
])(
  'given %s, on a row: %j, with %j, when pressed, then no row is moved to',
  (key, isOnRow, more) => {
    expect(press(key, isOnRow, more)).toBeNull()
  },
)
