import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { addInviters, expectMovedOnce, type Inviter } from '../support/affiliate-moves.ts'
import { expectBalancedBooks } from '../support/books.ts'
import type { ConsoleClient } from '../support/console-client.ts'
import { type EpayGateway, startEpayGateway } from '../support/providers/epay-gateway.ts'
import { until } from '../support/processes.ts'
import { expectReconciled } from '../support/reconciled.ts'
import { type SingleProduct, startSingleProduct } from '../support/product.ts'
import { BEHIND_PROXY, MERCHANT, openShop, type Shop, walletInLedger } from '../support/wallet.ts'

/**
 * kill -9 while codes are redeemed, orders paid and affiliate quota moved: whoever used a code, paid an order or moved
 * quota is credited once in the end, and nobody else; whoever was told so before the kill was told the truth.
 */
let product: SingleProduct
let gateway: EpayGateway
let shop: Shop
let workers: readonly ConsoleClient[]
let inviters: readonly Inviter[]
const WORTH = 100_000

beforeAll(async () => {
  gateway = await startEpayGateway(MERCHANT)
  product = await startSingleProduct({ env: BEHIND_PROXY })
  shop = await openShop(product, gateway)
  workers = await shop.addUsers('worker', 5)
  inviters = await addInviters(product, shop, 5)
})
afterAll(async () => {
  await product.dispose()
  await gateway.close()
})

describe('given codes and payments under way,', () => {
  // The earlier the kill, the more is between decision and credit.
  test.each([
    ['alone', 1],
    ['everything', 4],
    ['alone', 9],
  ] as const)(
    'when the product is killed (%s) after %i answers, then each is credited once in the end',
    async (what, answersBeforeKill) => {
      const codes = await shop.makeCodes(5, WORTH)
      const orders = await Promise.all(workers.map((worker) => shop.order(worker, 1)))
      let answered = 0
      const asked = <Answer>(answer: Promise<Answer>): Promise<Answer | null> =>
        answer.then(
          (value) => {
            answered += 1
            return value
          },
          // Killed under this request: nobody knows what became of it.
          () => null,
        )
      const redeeming = codes.flatMap((code) =>
        workers.map((worker) => asked(shop.redeem(worker, code))),
      )
      const notifying = orders.flatMap((number) =>
        [1, 2, 3].map(() => asked(gateway.notify(number)).then((told) => ({ number, told }))),
      )
      await until('some are answered', () => answered >= answersBeforeKill)
      await product.kill(what)
      const redeemed = await Promise.all(redeeming)
      const notified = await Promise.all(notifying)
      await product.start()

      // The gateway repeats itself until it is believed; what it heard before must have been true.
      const believed = notified.filter(({ told }) => told === 'success').map(({ number }) => number)
      const soon = await walletInLedger(product)
      for (const number of believed) {
        expect(soon.orders).toContainEqual({ name: number, decided: 1, credited: 1 })
      }
      for (const number of orders) {
        await until(
          'the gateway is believed',
          async () => (await gateway.notify(number)) === 'success',
        )
      }
      await until(
        'whatever was decided is credited',
        async () => {
          const { codes: uses, orders: payments } = await walletInLedger(product)
          return [...uses, ...payments].every(({ decided, credited }) => decided === credited)
        },
        20_000,
      )
      const now = await walletInLedger(product)
      for (const { decided } of now.codes) expect(decided).toBeLessThanOrEqual(1)
      for (const number of orders) {
        expect(now.orders).toContainEqual({ name: number, decided: 1, credited: 1 })
      }
      // Nobody was told of a credit that is not there.
      const successes = redeemed.filter((answer) => answer?.success === true).length
      const uses = now.codes.reduce((total, { decided }) => total + decided, 0)
      expect(uses).toBeGreaterThanOrEqual(successes)
    },
  )
})

test.each([
  ['alone', 1],
  ['everything', 5],
  ['alone', 10],
] as const)(
  'given repeated affiliate transfers, when killed (%s) after %i answers, then each is made once',
  async (what, answersBeforeKill) => {
    await expectMovedOnce(product, inviters, {
      round: answersBeforeKill,
      answersBeforeKill,
      killAndStart: async () => {
        await product.kill(what)
        await product.start()
      },
    })
  },
  120_000,
)

test('given all of it, when it is done, then nothing waits, and ledger, log and balances agree', async () => {
  const waiting = z.object({ total: z.number() })
  await until('no process waits', async () => {
    return (await shop.root.ask('GET', '/api/ledger/processes', waiting)).total === 0
  })
  await expectBalancedBooks(product, shop.root, [
    ...workers,
    ...inviters.flatMap(({ clients }) => clients),
  ])
  await expectReconciled(shop.root)
})
