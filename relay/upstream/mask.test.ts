import { expect, test } from 'vitest'
import { maskCredentials, shownText } from './mask.ts'

test('given the key of the channel in a text, when masked, then no part of it is left', () => {
  const key = 'abcdefghij|klmnopqrst'
  expect(maskCredentials(`wrong key ${key} (klmnopqrst)`, key)).toBe('wrong key *** (***)')
})

test("given what looks like somebody's key, when masked, then its beginning says what it was", () => {
  expect(maskCredentials('Incorrect API key provided: sk-abcd1234efgh5678 Try', '')).toBe(
    'Incorrect API key provided: sk-*** Try',
  )
  expect(maskCredentials('proxy http://user:secret@10.0.0.1:80 refused', '')).toBe(
    'proxy http://***@10.0.0.1:80 refused',
  )
})

test('given an ordinary sentence, when masked, then it stays as it is', () => {
  const text = 'The model `gpt-9` does not exist or you do not have access to it.'
  expect(maskCredentials(text, 'k')).toBe(text)
})

test('given a long text of words that could begin an address, when masked, then it takes no time', () => {
  const text = 'a.'.repeat(64_000)
  const startedMs = performance.now()
  expect(maskCredentials(text, 'some-long-key')).toBe(text)
  expect(performance.now() - startedMs).toBeLessThan(2_000)
})

test.each([
  ['a JSON web token', 'wrong eyJhbGciOiJIUzI1NiJ9.eyJpZCI6IjEifQ.c2lnbmF0dXJl', 'wrong ***'],
  ["Google's key", 'wrong AIzaSyA1234567890abcdefghijk', 'wrong ***'],
  ['the key as JSON writes it', 'wrong a\\"quoted\\"key', 'wrong ***'],
  ['the key as addresses write it', 'wrong a%22quoted%22key', 'wrong ***'],
  ['a control character in the key', 'wrong a"quo\u0000ted"key', 'wrong ***'],
])('given %s, when shown, then it is masked', (_what, said, shown) => {
  expect(shownText(said, 'a"quoted"key', 100)).toBe(shown)
})

test('given a key where the text is cut, when shown, then no part of it is left', () => {
  expect(shownText('12345abcdefghij', 'abcdefghij', 10)).toBe('12345***')
})

test('given a long run of what tokens begin with, when masked, then it takes no time', () => {
  const text = 'eyJ-'.repeat(32_000)
  const startedMs = performance.now()
  expect(maskCredentials(text, 'some-long-key')).toBe(text)
  expect(performance.now() - startedMs).toBeLessThan(2_000)
})
