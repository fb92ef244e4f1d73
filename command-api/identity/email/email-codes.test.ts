import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  type CommandApiFixture,
  openCommandApiFixture,
} from '@tollgate/tests/support/command-api.ts'
import { CODE_MINUTES, type EmailCodes, emailCodeRows } from './email-codes.ts'

let fixture: CommandApiFixture
let codes: EmailCodes
let made = 0

beforeAll(async () => {
  fixture = await openCommandApiFixture()
  codes = emailCodeRows(fixture)
})
afterAll(() => fixture.close())

const someone = () => `someone${++made}@example.com`
/** As long as the code, and another. */
const other = (code: string): string => code.replaceAll(/./g, (c) => (c === '0' ? '1' : '0'))
const pastEnd = () => fixture.pass(CODE_MINUTES * 60_000)

test('given a code, when shown with its e-mail, also again or in another spelling, then it is right', async () => {
  const email = someone()
  const code = await codes.issue('verification', ` ${email.toUpperCase()}`)
  expect(code).toMatch(/^[0-9a-f]{6}$/)
  expect(await codes.isRight('verification', email, code)).toBe(true)
  expect(await codes.isRight('verification', email, ` ${code.toUpperCase()} `)).toBe(true)
  expect(await codes.isRight('verification', someone(), code)).toBe(false)
  expect(await codes.isRight('password-reset', email, code)).toBe(false)
  expect(await codes.take('password-reset', email, code)).toBe(false)
})

test('given a second code, when the first is shown, then it is wrong', async () => {
  const email = someone()
  const first = await codes.issue('verification', email)
  const second = await codes.issue('verification', email)
  expect(await codes.isRight('verification', email, first)).toBe(first === second)
  expect(await codes.isRight('verification', email, second)).toBe(true)
})

test('given codes, when their time is up, then they are worth nothing, and their rows go', async () => {
  const email = someone()
  const code = await codes.issue('verification', email)
  const token = await codes.issue('password-reset', email)
  fixture.pass(CODE_MINUTES * 60_000 - 1)
  expect(await codes.isRight('verification', email, code)).toBe(true)
  fixture.pass(1)
  expect(await codes.isRight('verification', email, code)).toBe(false)
  expect(await codes.take('password-reset', email, token)).toBe(false)
  pastEnd()
  expect(await codes.removeExpired()).toBeGreaterThan(0)
  expect((await fixture.pool.query('select from identity.email_codes')).rows).toEqual([])
})

test('given a guesser with a hundred tries at once, when the right code follows, then it is refused', async () => {
  const email = someone()
  const code = await codes.issue('verification', email)
  const guesses = Array.from({ length: 100 }, () =>
    codes.isRight('verification', email, other(code)),
  )
  expect(await Promise.all(guesses)).not.toContain(true)
  expect(await codes.isRight('verification', email, code)).toBe(false)
  const fresh = await codes.issue('verification', email)
  expect(await codes.isRight('verification', email, fresh)).toBe(true)
})

test('given four wrong tries and many right ones, when shown again, then the code is still right', async () => {
  const email = someone()
  const code = await codes.issue('verification', email)
  for (let n = 0; n < 4; n++) {
    expect(await codes.isRight('verification', email, other(code))).toBe(false)
    expect(await codes.isRight('verification', email, code)).toBe(true)
  }
})

test('given a reset token, when twenty come with it at once, then one has it', async () => {
  const email = someone()
  const token = await codes.issue('password-reset', email)
  expect(token).toMatch(/^[0-9a-f]{32}$/)
  expect(await codes.take('password-reset', email, other(token))).toBe(false)
  const taken = await Promise.all(
    Array.from({ length: 20 }, () => codes.take('password-reset', email, token)),
  )
  expect(taken.filter((isTaken) => isTaken)).toHaveLength(1)
})

test('given rows, when read, then no code is in them', async () => {
  const email = someone()
  const code = await codes.issue('verification', email)
  const token = await codes.issue('password-reset', email)
  const { rows } = await fixture.pool.query('select email_codes::text from identity.email_codes')
  expect(JSON.stringify(rows)).toContain(email)
  for (const secret of [code, token]) {
    expect(JSON.stringify(rows)).not.toContain(Buffer.from(secret).toString('hex'))
    expect(JSON.stringify(rows)).not.toContain(`x${secret}`)
  }
})
