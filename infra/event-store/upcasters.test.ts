import { expect, test } from 'vitest'
import { ForeignEvent } from '@tollgate/domain/ports/event-store.ts'
import { decodedOr } from './stored-event.ts'
import { createUpcasters, UPCASTERS } from './upcasters.ts'

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

test('given data of a shape its version never had, when read, then it is a foreign event, not a failure', () => {
  const stored = {
    stream: 'account-7',
    revision: 3,
    position: 9,
    id: 'e',
    type: 'UsageCharged',
    recordedAt: 1,
    dataText: '{"at":1,"request":{"path":7}}',
    metadataText: '{"actor":"x","schemaVersion":2,"prevHash":null,"hash":"h"}',
  }
  const read = decodedOr(stored, UPCASTERS)
  expect(read).toBeInstanceOf(ForeignEvent)
  expect(read).toMatchObject({ stream: 'account-7', revision: 3 })
  expect((read as ForeignEvent).message).toMatch(
    /event 3 of stream account-7 .*UsageCharged version 2 .*data\.hold: /u,
  )
})
