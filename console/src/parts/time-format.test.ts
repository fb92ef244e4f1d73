import { expect, test } from 'vitest'
import { dateTime, fromLocalInput, toLocalInput } from './time-format.ts'

test('given a time, when put into an input and read back, then it is the same second', () => {
  const seconds = 1_790_000_123
  expect(fromLocalInput(toLocalInput(seconds))).toBe(seconds)
  expect(dateTime(seconds)).toBe(toLocalInput(seconds).replace('T', ' '))
})

test('given nothing, when read or shown, then it is no time', () => {
  expect(fromLocalInput('')).toBeNull()
  expect(fromLocalInput('soon')).toBeNull()
  expect(dateTime(0)).toBe('–')
})
