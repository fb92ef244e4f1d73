import { expect, test } from 'vitest'
import { createUpcasters } from './upcasters.ts'

const upcasters = createUpcasters([
  { type: 'Priced', fromVersion: 1, upcast: (data) => Object.assign({ currency: 'USD' }, data) },
  { type: 'Priced', fromVersion: 2, upcast: (data) => Object.assign({ isFree: false }, data) },
])

test('given an old version, when upcast, then it passes every step up to the newest', () => {
  expect(upcasters.upcast('Priced', 1, { at: 1 })).toEqual({
    data: { at: 1, currency: 'USD', isFree: false },
    schemaVersion: 3,
  })
  expect(upcasters.upcast('Priced', 2, { at: 1 }).data).toEqual({ at: 1, isFree: false })
})

test('given the newest version or an unknown type, when upcast, then it is untouched', () => {
  const data = { at: 1 }
  expect(upcasters.upcast('Priced', 3, data)).toEqual({ data, schemaVersion: 3 })
  expect(upcasters.upcast('Unknown', 1, data).data).toBe(data)
})

test('given two upcasters for one version, when created, then it fails', () => {
  const step = { type: 'Priced', fromVersion: 1, upcast: (data: { at: number }) => data }
  expect(() => createUpcasters([step, step])).toThrow('two upcasters for Priced version 1')
})
