import { parseSearchWith, stringifySearchWith } from '@tanstack/react-router'
import { expect, test } from 'vitest'
import { parseAddressValue } from './address-values.ts'

const parse = parseSearchWith(parseAddressValue)
const stringify = stringifySearchWith(JSON.stringify, parseAddressValue)

test.each([
  ['?code=123e4567', { code: '123e4567' }],
  ['?token=12345678901234567890123456789012', { token: '12345678901234567890123456789012' }],
  ['?name=007', { name: '007' }],
  ['?p=2&expired=true&next=%2Flog%3Ftype%3D2', { p: 2, expired: true, next: '/log?type=2' }],
])('given the address %s, when read and written again, then nothing is lost', (address, search) => {
  expect(parse(address)).toEqual(search)
  expect(stringify(search)).toBe(address)
})

test('given a text that looks like a number, when written, then it is read as the text', () => {
  expect(parse(stringify({ name: '42' }))).toEqual({ name: '42' })
})
