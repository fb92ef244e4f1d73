import { expect, test } from 'vitest'
import { lastStatus } from './last-status.ts'

const stored = (fields: object) => JSON.stringify({ version: '1.2.0', setup: true, ...fields })

test('given the settings of the last visit, when the same version reads them, then they stand in', () => {
  expect(lastStatus(stored({ system_name: 'Mill' }), '1.2.0')?.system_name).toBe('Mill')
})

test.each([
  ['another version', stored({ version: '1.1.0' })],
  ['a time before the setup', stored({ setup: false })],
  ['another program', 'off'],
  ['nobody', null],
])('given what %s left, when read, then it is not used', (_, text) => {
  expect(lastStatus(text, '1.2.0')).toBeUndefined()
})
