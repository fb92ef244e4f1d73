import { afterAll, beforeAll, expect, test } from 'vitest'
import { addInviters, expectMovedOnce, type Inviter } from '../support/affiliate-moves.ts'
import { type DistributedProduct, startDistributedProduct } from '../support/distributed-product.ts'
import { type EpayGateway, startEpayGateway } from '../support/providers/epay-gateway.ts'
import { expectReconciled } from '../support/reconciled.ts'
import { BEHIND_PROXY, MERCHANT, openShop, type Shop } from '../support/wallet.ts'

/** A transfer of affiliate quota that is posted at two processes at once, while either of them is killed. */
let product: DistributedProduct
let gateway: EpayGateway
let shop: Shop
let inviters: readonly Inviter[]

beforeAll(async () => {
  gateway = await startEpayGateway(MERCHANT)
  product = await startDistributedProduct({ env: BEHIND_PROXY })
  shop = await openShop(product, gateway)
  inviters = await addInviters(product, shop, 5)
}, 180_000)
afterAll(async () => {
  await product.dispose()
  await gateway.close()
}, 60_000)

test.each([
  [0, 1],
  [1, 5],
] as const)(
  'given transfers at both processes, when %i is killed after %i answers, then each is made once',
  async (victim, answersBeforeKill) => {
    await expectMovedOnce(product, inviters, {
      round: answersBeforeKill,
      answersBeforeKill,
      killAndStart: async () => {
        const api = product.processes('api')[victim]
        await api?.kill()
        await api?.start()
      },
    })
  },
  120_000,
)

test('given all of it, when compared, then read models and ledger agree', async () => {
  await expectReconciled(shop.root)
  expect(product.processes('api').every(({ isRunning }) => isRunning)).toBe(true)
})
