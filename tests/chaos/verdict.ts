import type { StandInUpstream } from '@tollgate/infra/demo/stand-in-upstream.ts'
import { expect } from 'vitest'
import { z } from 'zod'
import { ledgerOf, ledgerSums } from '../support/books.ts'
import type { ConsoleClient } from '../support/console-client.ts'
import { until } from '../support/processes.ts'
import type { DistributedProduct } from '../support/distributed-product.ts'
import type { Product } from '../support/product-kinds.ts'
import { walletInLedger } from '../support/wallet.ts'
import type { Asked } from './load.ts'
import type { Lost } from './put-back.ts'
import type { Code } from './redeeming.ts'
import { lastLines, openHoldsReport } from './open-holds-report.ts'

/** Claims lapse and holds expire within 30 s of silence and two looks of half a minute. */
const HOLDS_TIMEOUT_MS = 120_000
const CHARGES_TIMEOUT_MS = 60_000
/** A connection that was forgotten is given up after 10 to 30 s, depending on what it is for. */
const SILENT_CONNECTIONS_MS = 90_000

const charges = z.array(
  z.object({ id: z.string(), model: z.string(), count: z.coerce.number(), late: z.boolean() }),
)

/**
 * Waits until every charge of a finished answer is in the ledger, but for those that were there and are lost with it,
 * and every hold has ended.
 */
export async function settled(
  product: DistributedProduct,
  asked: readonly Asked[],
  lost: Lost,
): Promise<void> {
  const finished = asked.filter(({ id, isFinished }) => isFinished && !lost.charges.has(id))
  let missing: readonly string[] = []
  await until(
    'every finished answer is charged',
    async () => {
      const charged = new Set((await chargesOf(product)).map(({ id }) => id))
      missing = finished.map(({ id }) => id).filter((id) => !charged.has(id))
      return missing.length === 0
    },
    CHARGES_TIMEOUT_MS,
  ).catch((error: unknown) => {
    throw new Error(`finished and never charged: ${missing.join(', ')}`, { cause: error })
  })
  await until(
    'every hold has ended',
    async () => (await ledgerSums(product)).every(({ held }) => held === 0),
    HOLDS_TIMEOUT_MS,
  ).catch(async (error: unknown) => {
    throw new Error(`holds that did not end: ${await openHoldsReport(product)}`, { cause: error })
  })
}

/** Waits until the console's API tells an account's balance as the ledger has it, however long connections are silent. */
export async function untilShown(product: DistributedProduct, user: ConsoleClient): Promise<void> {
  let shown = ''
  await until(
    'the console shows the balance of the ledger',
    async () => {
      const { opening, charged } = await ledgerOf(product, user)
      const self = await user.self().catch((error: unknown) => String(error))
      shown = `${JSON.stringify(self)}, and the ledger says ${opening - charged}`
      return typeof self === 'object' && self.quota === opening - charged
    },
    SILENT_CONNECTIONS_MS,
  ).catch(async (error: unknown) => {
    const models = await product.query('select * from projections.checkpoints')
    const facts = { shown, models, logs: lastLines(product) }
    throw new Error(`a balance is not shown: ${JSON.stringify(facts, null, 1)}`, { cause: error })
  })
}

/** Every finished answer is charged once, nothing is charged twice, and nothing that upstream did not answer. */
export async function expectRightCharges(
  product: Product,
  upstream: StandInUpstream,
  asked: readonly Asked[],
): Promise<void> {
  const charged = await chargesOf(product)
  expect(charged.filter(({ count }) => count > 1)).toEqual([])
  const answered = new Set(
    upstream.requests
      .filter(({ behaviour }) => behaviour === 'normal')
      .map(({ body }) => /chaos-client-\d+-\d+\./.exec(body)?.[0] ?? ''),
  )
  const byId = new Map(asked.filter(({ id }) => id !== '').map((one) => [one.id, one]))
  const known = charged.filter(({ id }) => byId.has(id))
  expect(known.filter(({ id }) => !answered.has(byId.get(id)?.marker ?? ''))).toEqual([])
  // The client of a request whose answer never began knows no id; upstream has seen at least as many of those.
  const named = new Set([...byId.values()].map(({ marker }) => marker))
  const unnamed = [...answered].filter((marker) => !named.has(marker))
  expect(charged.length - known.length).toBeLessThanOrEqual(unnamed.length)
}

/**
 * Available quota is never below zero by more than rule 10 allows: cost beyond reservations and late charges, which is
 * what charges took from the wallet.
 */
export async function expectFloor(product: Product): Promise<void> {
  const rows = await product.query(`
    with moves as (
      select split_part(stream, '-', 2)::bigint as account, revision,
        case type
          when 'QuotaCredited' then (data::jsonb->>'amount')::bigint
          when 'QuotaHeld' then -(data::jsonb->>'amount')::bigint
          when 'HoldExtended' then -(data::jsonb->>'amount')::bigint
          when 'HoldReduced' then (data::jsonb->>'amount')::bigint
          when 'HoldReleased' then (data::jsonb->>'amount')::bigint
          when 'HoldExpired' then (data::jsonb->>'amount')::bigint
          when 'UsageCharged' then -(data::jsonb->>'fromWallet')::bigint
          else 0 end as available,
        case type when 'UsageCharged' then (data::jsonb->>'fromWallet')::bigint else 0 end as beyond
      from ledger.events where stream like 'account-%'
    ), running as (
      select account, sum(available) over w as available, sum(beyond) over w as beyond
      from moves window w as (partition by account order by revision)
    )
    select account, available, beyond from running where available < -beyond`)
  expect(rows).toEqual([])
}

/** Charges for a hold of another timeline are late and all from the wallet; no hold is named after another one. */
export async function expectLateFromElsewhere(product: Product): Promise<void> {
  const rows = await product.query(`
    with present as (
      select position, data::jsonb->>'log' as log from ledger.events
      where stream = 'ledger-timeline' order by revision desc limit 1
    )
    select type, data from ledger.events e, present
    where e.position > present.position and type in ('QuotaHeld', 'UsageCharged')
      and data::jsonb->>'hold' is not null and split_part(data::jsonb->>'hold', '@', 3) <> present.log
      and (type = 'QuotaHeld' or not (data::jsonb->>'late')::boolean
        or data::jsonb->>'fromWallet' <> data::jsonb->>'amount')`)
  expect(rows).toEqual([])
}

/** Waits until every code that was redeemed is credited, once, and sees that none that a user was told of is missing. */
export async function redeemedOnce(
  product: Product,
  redeemed: readonly Code[],
  lost: Lost,
): Promise<void> {
  let wrong: readonly string[] = []
  await until(
    'every redeemed code is credited once',
    async () => {
      const { codes } = await walletInLedger(product)
      const told = new Set(
        redeemed.map(({ stream }) => stream).filter((stream) => !lost.redeemed.has(stream)),
      )
      wrong = codes
        .filter(
          ({ name, decided, credited }) =>
            credited !== decided ||
            decided > 1 ||
            (decided === 0 && told.has(`redemption-${name}`)),
        )
        .map((code) => JSON.stringify(code))
      return wrong.length === 0
    },
    CHARGES_TIMEOUT_MS,
  ).catch((error: unknown) => {
    throw new Error(`redeemed and not credited once: ${wrong.join(', ')}`, { cause: error })
  })
}

/** Charges by request. */
async function chargesOf(product: Product): Promise<z.infer<typeof charges>> {
  return charges.parse(
    await product.query(`
      select data::jsonb->'request'->>'id' as id, min(data::jsonb->'request'->>'model') as model,
        count(*) as count, bool_or(coalesce((data::jsonb->>'late')::boolean, false)) as late
      from ledger.events where type = 'UsageCharged' group by 1`),
  )
}
