import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { sha256 } from './sha256.ts'

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex')

test('given messages around the ends of blocks, when hashed, then the hashes are those of Node', () => {
  for (let length = 0; length < 200; length += 1) {
    const message = Uint8Array.from({ length }, (_, index) => (index * 31 + length) % 256)
    expect(hex(sha256(message))).toBe(createHash('sha256').update(message).digest('hex'))
  }
  const long = new TextEncoder().encode('额度 quota '.repeat(10_000))
  expect(hex(sha256(long))).toBe(createHash('sha256').update(long).digest('hex'))
})
