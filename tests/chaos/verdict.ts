import type { StandInUpstream } from '@tollgate/infra/demo/stand-in-upstream.ts'
import { verifyLog } from '@tollgate/infra/audit/verify-log.ts'
import { openPostgresEventStore } from '@tollgate/infra/event-store/postgres/store.ts'
import { openPool } from '@tollgate/infra/postgres/pool.ts'
import { systemClock } from '@tollgate/infra/processes/world.ts'
import { expect } from 'vitest'
import { z } from 'zod'
import { ledgerOf, ledgerSums } from '../support/books.ts'
import type { ConsoleClient } from '../support/console-client.ts'
import { until } from '../support/processes.ts'
import type { DistributedProduct } from '../support/distributed-product.ts'
import type { Product } from '../support/product-kinds.ts'
import type { Asked } from './load.ts'
import { whyHoldsAreOpen } from './why-holds-are-open.ts'

/** Claims lapse and holds expire within 30 s of silence and two looks of half a minute. */
const HOLDS_TIMEOUT_MS = 120_000
const CHARGES_TIMEOUT_MS = 60_000
/** A connection that was forgotten is given up after 10 to 30 s, depending on what it is for. */
const SILENT_CONNECTIONS_MS = 90_000

const charges = z.array(
  z.object({ id: z.string(), model: z.string(), count: z.coerce.number(), late: z.boolean() }),
)

/** Waits until every charge of a finished answer is in the ledger, once, and every hold has ended. */
export async function settled(product: DistributedProduct, asked: readonly Asked[]): Promise<void> {
  const finished = asked.filter(({ isFinished }) => isFinished)
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
    throw new Error(`holds that did not end: ${await whyHoldsAreOpen(product)}`, { cause: error })
  })
}

/** Waits until the console's API tells an account's balance as the ledger has it, however long connections are silent. */
export const untilShown = (product: DistributedProduct, user: ConsoleClient): Promise<void> =>
  until(
    'the console shows the balance of the ledger',
    async () => {
      const { opening, charged } = await ledgerOf(product, user)
      const self = await user.self().catch(() => null)
      return self?.quota === opening - charged
    },
    SILENT_CONNECTIONS_MS,
  )

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
  // Of a request whose answer never began its client knows no id; upstream has seen at least as many of those.
  const named = new Set([...byId.values()].map(({ marker }) => marker))
  const unnamed = [...answered].filter((marker) => !named.has(marker))
  expect(charged.length - known.length).toBeLessThanOrEqual(unnamed.length)
}

/**
 * What is available is never below zero by more than what rule 10 allows: cost beyond reservations and late charges,
 * which is what charges took from the wallet.
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

/** Walks the whole log: hashes, revisions, positions, seals. */
export async function expectWholeChain(databaseUrl: string): Promise<void> {
  const pool = openPool(databaseUrl, { max: 2, applicationName: 'chaos' })
  const logger = { info: () => undefined, warn: () => undefined, error: () => undefined }
  const store = openPostgresEventStore({ pool, databaseUrl, logger, clock: systemClock })
  try {
    expect((await verifyLog(store)).firstBreak).toBeNull()
  } finally {
    await store.close()
    await pool.end()
  }
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
