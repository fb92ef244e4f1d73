import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { ConsoleClient } from '../support/console-client.ts'
import { ROOT } from '../support/gateway.ts'
import { until } from '../support/processes.ts'
import { type SingleProduct, startSingleProduct } from '../support/product.ts'

/** Work that follows from an event is driven to its end by whoever runs next, and not done twice. */
let product: SingleProduct
let root: ConsoleClient
let userId: number

const QUOTA = 1_000_000
/** Adjustments sent at once, and how many are answered when the process is killed. */
const BURST = 40
const ANSWERED_BEFORE_KILL = 12

beforeAll(async () => {
  product = await startSingleProduct()
  root = new ConsoleClient(product.url)
  await root.setUp(ROOT.username, ROOT.password)
  await root.logIn(ROOT.username, ROOT.password)
  userId = (await root.addUser('adjusted', 'long-enough-2', QUOTA)).userId
})
afterAll(() => product.dispose())

let edits = 0

/** Adds one to the balance by an edit unlike all others; false when the process died over it. */
const adjust = (): Promise<boolean> => {
  const before = QUOTA + ++edits
  return root
    .send('PUT', '/api/user/', { id: userId, quota: before + 1, quota_before: before })
    .then(({ success }) => success)
    .catch(() => false)
}

test.each(['alone', 'everything'] as const)(
  'given adjustments, when the process is killed (%s) and restarted, then each is told once',
  async (what) => {
    let answered = 0
    const burst = Array.from({ length: BURST }, async () => {
      if (await adjust()) answered++
    })
    await until('some are answered', () => answered >= ANSWERED_BEFORE_KILL)
    await product.kill(what)
    await Promise.all(burst)
    await product.start()
    // The manager begins where it was: what it has not looked at yet stands before this one.
    expect(await adjust()).toBe(true)
    await until('nothing is left to do', async () => {
      const { waiting, adjusted, told } = await countAll()
      return waiting === 0 && adjusted === told
    })
    expect((await countAll()).adjusted).toBeGreaterThan(answered)
  },
)

const counts = z.object({
  waiting: z.coerce.number(),
  adjusted: z.coerce.number(),
  told: z.coerce.number(),
})

async function countAll(): Promise<z.infer<typeof counts>> {
  const [row] = await product.query(`
    select
      (select count(*) from process_manager.pending) as waiting,
      (select count(*) from ledger.events
       where stream = 'account-${userId}' and type = 'QuotaCredited'
         and data::jsonb->>'source' = 'grant') as adjusted,
      (select count(*) from identity.notifications n
       join ledger.events e on e.id::text = n.causation_id
       where n.user_id = ${userId} and n.type = 'quota_adjusted') as told`)
  return counts.parse(row)
}
