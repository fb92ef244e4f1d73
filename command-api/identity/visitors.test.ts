import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  type CommandApiFixture,
  openCommandApiFixture,
} from '@tollgate/tests/support/command-api.ts'
import { VISITOR_SECONDS, visitorRows, type Visitors } from './visitors.ts'

let fixture: CommandApiFixture
let visitors: Visitors

beforeAll(async () => {
  fixture = await openCommandApiFixture()
  visitors = visitorRows(fixture)
})
afterAll(() => fixture.close())

const BEGINNING = { userId: 7, affCode: 'abcd', isProving: true } as const
const pastEnd = () => fixture.pass(VISITOR_SECONDS * 1000)

test('given a sign-in that was begun, when taken with its state, then all is given back, once', async () => {
  const { token, state, proof } = await visitors.begin(null, BEGINNING)
  expect(state).toMatch(/^[0-9A-Za-z]{12}$/)
  expect(proof?.codeVerifier).toMatch(/^[\w-]{43}$/)
  expect(await visitors.take(token, state)).toEqual({
    userId: 7,
    affCode: 'abcd',
    proof,
    token: null,
  })
  expect(await visitors.take(token, state)).toBeNull()
})

test('given one state, when taken twenty times at once, then one gets it', async () => {
  const { token, state } = await visitors.begin(null, BEGINNING)
  const taken = await Promise.all(Array.from({ length: 20 }, () => visitors.take(token, state)))
  expect(taken.filter((attempt) => attempt !== null)).toHaveLength(1)
})

test('given another browser or state, or none, when taken, then nothing is, and the right one still can', async () => {
  const own = await visitors.begin(null, { ...BEGINNING, isProving: false })
  const foreign = await visitors.begin(null, BEGINNING)
  expect(own.proof).toBeNull()
  expect(await visitors.take(foreign.token, own.state)).toBeNull()
  expect(await visitors.take(null, own.state)).toBeNull()
  expect(await visitors.take(own.token, foreign.state)).toBeNull()
  expect(await visitors.take(own.token, '')).toBeNull()
  const human = await visitors.passHuman(null)
  expect(await visitors.take(human, '')).toBeNull()
  expect(await visitors.take(own.token, own.state)).toMatchObject({ proof: null })
})

test('given a second sign-in begun in the same browser, when the first comes back, then it is not known', async () => {
  const first = await visitors.begin(null, BEGINNING)
  const second = await visitors.begin(first.token, BEGINNING)
  expect(second.token).not.toBe(first.token)
  expect(await visitors.take(first.token, first.state)).toBeNull()
  expect(await visitors.take(second.token, first.state)).toBeNull()
  expect(await visitors.take(second.token, second.state)).not.toBeNull()
})

test('given a human, when a sign-in begins and returns, then tokens are new and the human is remembered', async () => {
  const human = await visitors.passHuman(null)
  const begun = await visitors.begin(human, BEGINNING)
  expect(await visitors.isHuman(human)).toBe(false)
  expect(await visitors.isHuman(begun.token)).toBe(true)
  const again = await visitors.passHuman(begun.token)
  expect(await visitors.take(begun.token, begun.state)).toBeNull()
  const taken = await visitors.take(again, begun.state)
  expect(taken).toMatchObject({ userId: 7, proof: begun.proof })
  expect(await visitors.isHuman(again)).toBe(false)
  expect(await visitors.isHuman(taken?.token ?? null)).toBe(true)
})

test('given the time is up, when asked for, then human and sign-in are gone and their rows removed', async () => {
  const human = await visitors.passHuman(null)
  const begun = await visitors.begin(null, BEGINNING)
  pastEnd()
  expect(await visitors.isHuman(human)).toBe(false)
  expect(await visitors.take(begun.token, begun.state)).toBeNull()
  expect(await visitors.removeExpired()).toBeGreaterThan(0)
  const { rows } = await fixture.pool.query('select from identity.visitors')
  expect(rows).toEqual([])
})

test('given a human whose time is nearly up, when they begin more sign-ins, then it is not prolonged', async () => {
  let token = await visitors.passHuman(null)
  for (let round = 0; round < 3; round++) {
    fixture.pass((VISITOR_SECONDS * 1000) / 4)
    token = (await visitors.begin(token, BEGINNING)).token
    expect(await visitors.isHuman(token)).toBe(true)
  }
  fixture.pass((VISITOR_SECONDS * 1000) / 4)
  expect(await visitors.isHuman(token)).toBe(false)
})

test('given rows, when read, then they hold neither token nor state', async () => {
  const { token, state } = await visitors.begin(null, BEGINNING)
  const { rows } = await fixture.pool.query('select visitors::text from identity.visitors')
  expect(rows.length).toBeGreaterThan(0)
  for (const secret of [token, state]) {
    expect(JSON.stringify(rows)).not.toContain(secret)
    // Bytes are shown in hexadecimal.
    expect(JSON.stringify(rows)).not.toContain(Buffer.from(secret).toString('hex'))
  }
})
