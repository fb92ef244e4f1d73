import { expect, test } from 'vitest'
import { newFreePrice } from './free-models.ts'
import { optionsFrom } from './options.ts'

const stored = optionsFrom([['ModelPrice', '{"old":0,"dear":3}']])

test.each([
  ['a new price of 0', 'ModelPrice', '{"old":0,"new":0}', 'new'],
  ['a price that becomes 0', 'ModelPrice', '{"old":0,"dear":0}', 'dear'],
  ['a price of 0 that stands already', 'ModelPrice', '{"old":0,"dear":4}', null],
  ['a price of 0 that comes with Tollgate', 'ModelPrice', '{"mj_inpaint":0}', null],
  ['a ratio of 0, which is how a model is given away', 'ModelRatio', '{"new":0}', null],
] as const)('given %s, when it is looked at, then only a new price of 0 is named', (...row) => {
  const [, key, text, model] = row
  const problem = newFreePrice(stored, key, text)
  if (model === null) expect(problem).toBeNull()
  else expect(problem).toContain(`价格不能为 0：${model}，`)
})
