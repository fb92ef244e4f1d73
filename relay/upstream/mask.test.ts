import { expect, test } from 'vitest'
import { maskCredentials } from './mask.ts'

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
