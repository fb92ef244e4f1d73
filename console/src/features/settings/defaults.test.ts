import { expect, test } from 'vitest'
import { changedKeys, initialOf, isOffDefault } from './defaults.ts'

const defaults = new Map([['ModelRatio', '{"gpt-4o":1.25}']])

test('given a long table, when compared with the server’s default, then only real differences count', () => {
  expect(isOffDefault('ModelRatio', '{ "gpt-4o": 1.250 }', defaults)).toBe(false)
  expect(isOffDefault('ModelRatio', '{"gpt-4o":2}', defaults)).toBe(true)
  expect(initialOf('ModelRatio', defaults)).toBe('{"gpt-4o":1.25}')
})

test('given defaults that are not known yet, when compared, then a long table is not called changed', () => {
  expect(isOffDefault('ModelRatio', '{}', undefined)).toBe(false)
  expect(initialOf('ModelRatio', undefined)).toBeNull()
})

test('given an option whose default the console has itself, when compared, then that counts', () => {
  expect(isOffDefault('RetryTimes', '2', undefined)).toBe(true)
  expect(isOffDefault('SMTPToken', 'x', defaults)).toBe(false)
  expect(initialOf('RetryTimes', defaults)).toBe('0')
})

test('given secrets, when the changed options are listed, then one that is set is among them', () => {
  const keys = ['SMTPToken', 'EpayKey', 'RetryTimes'] as const
  const secrets = new Map([
    ['SMTPToken', false],
    ['EpayKey', true],
  ])
  const textOf = (key: string) => (key === 'RetryTimes' ? '2' : '')
  expect(changedKeys(keys, textOf, { defaults, secrets })).toEqual(['EpayKey', 'RetryTimes'])
  expect(changedKeys(keys, textOf, { defaults, secrets: undefined })).toEqual(['RetryTimes'])
})
