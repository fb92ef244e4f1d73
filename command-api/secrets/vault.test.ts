import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { randomAlphanumeric } from './entropy.ts'
import { openVault, SecretUnreadable } from './vault.ts'

const masterKey = Buffer.alloc(32, 7)
const vault = openVault(masterKey, randomBytes)

test.each(['', 'sk-abc', '多字节 🔑', 'x'.repeat(100_000)])(
  'given a secret, when sealed and opened, then it is the same text',
  (plain) => {
    const sealed = vault.seal('token-key', plain)
    expect(vault.open('token-key', sealed)).toBe(plain)
    expect(openVault(masterKey, randomBytes).open('token-key', sealed)).toBe(plain)
  },
)

test('given the same secret twice, when sealed, then the rows differ and the fingerprints do not', () => {
  expect(vault.seal('option', 'a').equals(vault.seal('option', 'a'))).toBe(false)
  expect(vault.fingerprint('option', 'a').equals(vault.fingerprint('option', 'a'))).toBe(true)
  expect(vault.fingerprint('option', 'a').equals(vault.fingerprint('token-key', 'a'))).toBe(false)
})

test('given a sealed secret, when any byte is changed, then it does not open', () => {
  const sealed = vault.seal('channel-key', 'secret')
  for (let at = 0; at < sealed.length; at++) {
    const changed = Buffer.from(sealed)
    changed[at] = (changed[at] ?? 0) ^ 1
    expect(() => vault.open('channel-key', changed)).toThrow(SecretUnreadable)
  }
})

test('given a sealed secret, when opened as another kind or with another master key, then that fails', () => {
  const sealed = vault.seal('channel-key', 'secret')
  expect(() => vault.open('option', sealed)).toThrow(SecretUnreadable)
  const other = openVault(Buffer.alloc(32, 8), randomBytes)
  expect(() => other.open('channel-key', sealed)).toThrow('MASTER_KEY')
})

test('given a master key of 15 bytes, when a vault is opened, then it is refused', () => {
  expect(() => openVault(Buffer.alloc(15), randomBytes)).toThrow('at least 16 bytes')
})

test('given entropy that starts with bytes to redraw, when a text is made, then it has its full length', () => {
  let calls = 0
  const entropy = (bytes: number): Buffer => Buffer.alloc(bytes, calls++ === 0 ? 255 : 61)
  expect(randomAlphanumeric(entropy, 5)).toBe('zzzzz')
  expect(calls).toBe(2)
})
