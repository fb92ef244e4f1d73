import { expect, test } from 'vitest'
import { newRequestId } from './request-id.ts'

test('given many ids, when made in a row, then each has its time and all differ', () => {
  const before = Date.now()
  const ids = Array.from({ length: 2_000 }, newRequestId)
  expect(new Set(ids).size).toBe(ids.length)
  for (const id of ids) {
    const parts = /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)(\d{3})\d{6}[0-9A-Za-z]{8}$/.exec(id)
    const [year = 0, month = 0, ...rest] = parts?.slice(1).map(Number) ?? []
    const at = Date.UTC(year, month - 1, ...rest)
    expect(at).toBeGreaterThanOrEqual(before)
    expect(at).toBeLessThanOrEqual(Date.now())
  }
  const letters = new Set(ids.flatMap((id) => id.slice(-8).split('')))
  expect(letters.size).toBe(62)
})
