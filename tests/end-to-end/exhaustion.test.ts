import OpenAI from 'openai'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { expectBalancedBooks, ledgerOf, ledgerSums } from '../support/books.ts'
import type { ConsoleClient } from '../support/console-client.ts'
import type { Gateway } from '../support/gateway.ts'
import { startGateway } from '../support/gateway.ts'
import { until } from '../support/processes.ts'

/** Accounts that run dry: never overspent, never stuck, and nobody else pays for it. */
let gateway: Gateway
const users: ConsoleClient[] = []

/** gpt-4: ratio 15, output 2 times that. */
const MODEL = 'gpt-4'
const LIMIT = 24
const ask = () => ({
  model: MODEL,
  max_tokens: LIMIT,
  messages: [{ role: 'user' as const, content: 'One more, please.' }],
})
/** gpt-4-turbo: ratio 5, output 3 times that; answers at great length. */
const LONG_MODEL = 'gpt-4-turbo'
const LONG_ANSWER = 20_000

beforeAll(async () => {
  gateway = await startGateway({
    models: [MODEL, LONG_MODEL],
    upstream: { answerTokens: (model) => (model === LONG_MODEL ? LONG_ANSWER : LIMIT) },
  })
})
beforeEach(() => gateway.upstream.forget())
afterAll(() => gateway.stop())

test('given a balance for ten, when 200 ask at once, then the others never reach upstream', async () => {
  const charge = await chargeOfOne()
  const opening = charge * 10
  const user = await newUser('ten', opening)
  const openai = await client(user)
  gateway.upstream.forget()

  const outcomes = await Promise.all(
    Array.from({ length: 200 }, () =>
      openai.chat.completions.create(ask()).then(
        () => 'served' as const,
        (error: unknown) => error,
      ),
    ),
  )
  const served = outcomes.filter((outcome) => outcome === 'served').length
  expect(served).toBeGreaterThanOrEqual(1)
  expect(served).toBeLessThanOrEqual(10)
  expect(gateway.upstream.received()).toBe(served)
  for (const refusal of outcomes.filter((outcome) => outcome !== 'served')) {
    expect(refusal).toBeInstanceOf(OpenAI.PermissionDeniedError)
  }

  let further = 0
  // One by one the rest is used up; each request pays in full, so ten are the most there can be in all.
  while ((await openai.chat.completions.create(ask()).catch(refused)) !== null) {
    expect(++further).toBeLessThanOrEqual(10 - served)
  }
  const left = await balanceOf(user)
  expect(left).toBe(opening - (served + further) * charge)
  expect(left).toBeGreaterThanOrEqual(0)
  expect(left).toBeLessThan(reserveBound())
  await noHoldStaysOpen()
})

test('given a stream that outgrows the balance, when no more can be held, then the sent part is charged', async () => {
  // Enough for the assumed 500 tokens of an answer without a limit and then some, far from the whole of it.
  const opening = 20_000
  const user = await newUser('stream', opening)
  const openai = await client(user)
  const { rows } = await user.chargesOf(1, async () => {
    const reading = openai.chat.completions
      .create({ model: LONG_MODEL, messages: ask().messages, stream: true })
      .then((stream) => Array.fromAsync(stream))
    await expect(reading).rejects.toBeInstanceOf(OpenAI.APIError)
  })
  const [row] = rows
  expect(JSON.parse(row?.other ?? '{}')).toMatchObject({ cut_short: true })
  expect(row?.completion_tokens).toBeGreaterThan(500)
  expect(row?.completion_tokens).toBeLessThan(LONG_ANSWER)
  expect(await balanceOf(user)).toBeGreaterThanOrEqual(0)
  await noHoldStaysOpen()
})

test('given a token with a limit of its own, when it is used up, then the account keeps what is left', async () => {
  const charge = await chargeOfOne()
  const user = await newUser('limited', charge * 100)
  const token = await user.createToken({
    name: 'three',
    unlimited_quota: false,
    remain_quota: charge * 3,
  })
  const openai = gateway.openai(token.key)
  let served = 0
  while ((await openai.chat.completions.create(ask()).catch(refused)) !== null) {
    expect(++served).toBeLessThanOrEqual(3)
  }
  expect(served).toBeGreaterThanOrEqual(1)
  expect(await balanceOf(user)).toBe(charge * (100 - served))
  await until('the token list shows what the token has used', async () => {
    const listed = (await user.tokens()).find(({ id }) => id === token.id)
    return listed?.used_quota === charge * served && listed.remain_quota === charge * (3 - served)
  })
})

test('given an empty account, when a token is wanted, then it is refused with the reason', async () => {
  const user = await newUser('empty', 0)
  const answer = await user.send('POST', '/api/token/', { name: 'none', unlimited_quota: true })
  expect(answer).toMatchObject({ success: false, message: '余额不足' })
})

test('after all of it, no hold is open and ledger, log and balances agree', async () => {
  await noHoldStaysOpen()
  await expectBalancedBooks(gateway.product, gateway.root, users)
})

async function newUser(name: string, quota: number): Promise<ConsoleClient> {
  const user = await gateway.root.addUser(name, 'long-enough-2', quota)
  users.push(user)
  return user
}

async function client(user: ConsoleClient): Promise<OpenAI> {
  return gateway.openai((await user.createToken({ name: 'main' })).key)
}

/** The real cost of one request, found by making one. */
async function chargeOfOne(): Promise<number> {
  const user = await newUser(`one-${users.length}`, 10_000_000)
  await (await client(user)).chat.completions.create(ask())
  let charged = 0
  // Between processes the charge is in the journal when its answer ends, and in the ledger a moment later.
  await until('it is charged', async () => {
    charged = (await ledgerOf(gateway.product, user)).charged
    return charged > 0
  })
  return charged
}

async function balanceOf(user: ConsoleClient): Promise<number> {
  const { opening, charged } = await ledgerOf(gateway.product, user)
  return opening - charged
}

/** No reserve can be more: every byte of the body a token, the limit as output. */
const reserveBound = (): number => (JSON.stringify(ask()).length + LIMIT * 2) * 15

function refused(error: unknown): null {
  if (error instanceof OpenAI.PermissionDeniedError || error instanceof OpenAI.AuthenticationError)
    return null
  throw error
}

const noHoldStaysOpen = (): Promise<void> =>
  until(
    'every hold has ended',
    async () => (await ledgerSums(gateway.product)).every(({ held }) => held === 0),
    45_000,
  )
