import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { argon2Passwords, TooManyPasswordChecks } from './passwords.ts'

const passwords = argon2Passwords(randomBytes)

test('given a hashed password, when verified, then only the same password fits', async () => {
  const hash = await passwords.hash('correct horse')
  expect(hash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$[\w+/]{22}\$[\w+/]{43}$/)
  expect(await passwords.verify('correct horse', hash)).toBe(true)
  expect(await passwords.verify('correct horsf', hash)).toBe(false)
  expect(await passwords.hash('correct horse')).not.toBe(hash)
})

test('given no hash, when verified, then it is false after the same work', async () => {
  expect(await passwords.verify('anything', null)).toBe(false)
})

test('given the same letters in another Unicode form, when verified, then they fit', async () => {
  const hash = await passwords.hash('caf\u00e9-caf\u00e9')
  expect(await passwords.verify('cafe\u0301-cafe\u0301', hash)).toBe(true)
})

test('given hundreds of checks at once, when one more comes, then it is refused and the others end', async () => {
  const own = argon2Passwords(randomBytes)
  const cheap =
    '$argon2id$v=19$m=8,t=1,p=1$MDAwMDAwMDAwMDAwMDAwMA$MDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDA'
  const checks = Array.from({ length: 203 }, () => own.verify('x', cheap))
  const settled = await Promise.allSettled(checks)
  expect(settled.filter((one) => one.status === 'rejected').map((one) => one.reason)).toEqual([
    new TooManyPasswordChecks(),
  ])
  expect(await own.verify('x', cheap)).toBe(false)
})
