import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'vitest'
import { z } from 'zod'
import { ConsoleClient } from './console-client.ts'
import { until } from './processes.ts'
import type { Product } from './product-kinds.ts'
import { sendAsVisitor } from './visitors.ts'
import { PASSWORD, type Shop } from './wallet.ts'

/** Somebody with affiliate quota, signed in at each process that serves the console's calls. */
export interface Inviter {
  readonly id: number
  readonly clients: readonly ConsoleClient[]
}

const EARNED = 50_000_000
/** The least that may be moved. */
const ONE = 500_000
/** So many that the first answers are told long before the last. */
const POSTS_OF_EACH = 10
const MOVED = '划转成功'

/** Adds inviters, each of whom has brought somebody. */
export async function addInviters(
  product: Product,
  shop: Shop,
  count: number,
): Promise<readonly Inviter[]> {
  await shop.root.setOption('QuotaForInviter', String(EARNED))
  const users = await shop.addUsers('inviter', count)
  return Promise.all(
    users.map(async (user, index) => {
      const code = await user.ask('GET', '/api/user/aff', z.string())
      const body = { username: `invited${index}`, password: PASSWORD, aff_code: code }
      const registered = await sendAsVisitor(`${product.url}/api/user/register`, {
        method: 'POST',
        body,
      })
      expect(registered).toMatchObject({ success: true })
      const self = z.object({ aff_quota: z.number() })
      const earned = async () => (await user.ask('GET', '/api/user/self', self)).aff_quota
      await until('the reward is there', async () => (await earned()) === EARNED)
      const clients = shop.urls.map((url) => new ConsoleClient(url))
      await Promise.all(clients.map((client) => client.logIn(`inviter${index}`, PASSWORD)))
      return { id: user.userId, clients }
    }),
  )
}

/**
 * Posts two transfers of each inviter several times at once, one with an Idempotency-Key and one without, kills within
 * them and posts each again: with the key it is moved once; without one it is moved at least as often as somebody was told
 * so, and at most as often as it was posted.
 *
 * @param answersBeforeKill How many are answered when `killAndStart` is called.
 * @param round Other than in former calls, so that the amounts are.
 */
export async function expectMovedOnce(
  product: Product,
  inviters: readonly Inviter[],
  kill: {
    readonly round: number
    readonly answersBeforeKill: number
    readonly killAndStart: () => Promise<void>
  },
): Promise<void> {
  let answered = 0
  const enough = Promise.withResolvers<void>()
  const wishes = inviters.flatMap((inviter) =>
    [`round-${kill.round}`, null].map((key, index) => {
      const quota = ONE + 2 * kill.round + index
      const post = (turn: number) => transfer(inviter, turn, quota, key)
      const answers = Array.from({ length: POSTS_OF_EACH }, (_, turn) =>
        post(turn).then((told) => {
          if (told !== null) answered += 1
          if (answered === kill.answersBeforeKill) enough.resolve()
          return told
        }),
      )
      return { account: inviter.id, quota, key, post, answers: Promise.all(answers) }
    }),
  )
  await enough.promise
  await kill.killAndStart()
  const heard = await Promise.all(wishes.map(({ answers }) => answers))
  // Otherwise the kill came when all was done.
  expect(heard.flat()).toContain(null)

  const before = await movesInLedger(product)
  for (const [index, { account, quota, key, post }] of wishes.entries()) {
    const told = (heard[index] ?? []).filter((message) => message !== null)
    const moved = (moves: readonly Move[]) =>
      moves.find((move) => move.account === account && move.quota === quota)?.times ?? 0
    expect(told.every((message) => message === MOVED)).toBe(true)
    if (key === null) {
      expect(moved(before)).toBeGreaterThanOrEqual(told.length)
      expect(moved(before)).toBeLessThanOrEqual(POSTS_OF_EACH)
    } else {
      expect([0, 1]).toContain(moved(before))
      if (told.length > 0) expect(moved(before)).toBe(1)
    }

    let again: string | null = null
    await until('it is answered again', async () => (again = await post(index)) !== null, 30_000)
    expect(again).toBe(MOVED)
    if (key !== null) expect(moved(await movesInLedger(product))).toBe(1)
  }
}

/** Between one question for a request that is still carried out and the next. */
const ASK_AGAIN_MS = 50

/** The last answer of the process; null when it says nothing or that it cannot yet. */
async function transfer(
  { clients }: Inviter,
  turn: number,
  quota: number,
  key: string | null,
): Promise<string | null> {
  const headers: Record<string, string> = key === null ? {} : { 'idempotency-key': key }
  const client = clients[turn % clients.length]
  if (client === undefined) throw new TypeError('an inviter is signed in somewhere')
  try {
    for (;;) {
      const answer = await client.send('POST', '/api/user/aff_transfer', { quota }, headers)
      if (answer.status !== 409) return answer.status < 500 ? answer.message : null
      // Another post of the same request is at it, or was when its process was killed.
      await sleep(ASK_AGAIN_MS)
    }
  } catch {
    // Killed under this request: nobody knows what became of it.
    return null
  }
}

const moves = z.array(z.object({ account: z.int(), quota: z.int(), times: z.int() }))
type Move = z.infer<typeof moves>[number]

const movesInLedger = async (product: Product): Promise<readonly Move[]> =>
  moves.parse(
    await product.query(`
      select split_part(stream, '-', 2)::int as account, (data::jsonb->>'amount')::int as quota,
        count(*)::int as times
      from ledger.events where type = 'AffiliateQuotaTransferred' group by 1, 2`),
  )
