import { openPool } from '@tollgate/infra/postgres/pool.ts'
import { PARTITIONS, partitionOf } from '@tollgate/domain/account/partition.ts'
import { userId } from '@tollgate/domain/ids.ts'
import { type DistributedProduct, startDistributedProduct } from '../support/distributed-product.ts'
import { until } from '../support/processes.ts'
import { startSingleProduct } from '../support/product.ts'
import { askUntilServed } from './ask-until-served.ts'
import { serve } from './child-process.ts'
import { type BenchAccount, openClients } from './clients.ts'
import type { Figure } from './figures.ts'
import { fraction } from './figures.ts'
import { endOfLog } from './hold-traffic.ts'
import { type Reader, visiblePosition } from './seen-positions.ts'

const ACCOUNTS = 8
/** Under which writers share the partitions in coordination.leases. */
const LEDGER_GROUP = 'ledger'
/** A product that starts, or work that moves, on a machine that is busy. */
const SETTLED_WITHIN_MS = 60_000
const START_TARGET_MS = 5_000

/** How long after kill -9 clients and readers have again what they had. */
export async function recoveryFigures(say: (line: string) => void): Promise<Figure[]> {
  const upstream = await serve('stand-in-process.ts')
  try {
    say('recovery: all in one process')
    const wholeMs = await recoveryOfAllInOne(upstream.url)
    const product = await startDistributedProduct({ env: { LOG_LEVEL: 'warn' }, isDurable: true })
    const pool = openPool(product.databaseUrl, { max: 1, applicationName: 'bench' })
    // Taken at the beginning and kept: later the embedded server may have none left to give.
    const reader = await pool.connect()
    try {
      const accounts = await openClients(product, upstream.url, ACCOUNTS)
      say('recovery: owners of accounts')
      const moved = await recoveriesOfOwners(product, reader, accounts)
      say('recovery: projectors')
      const projectorMs = await recoveryOfProjectors(product, reader, accounts)
      return [allInOneFigure(wholeMs), ownerFigure(moved), projectorFigure(projectorMs)]
    } finally {
      reader.release()
      await pool.end()
      await product.dispose()
    }
  } finally {
    await upstream.stop()
  }
}

/** Killed while its database runs on, and started again at once, as a supervisor would. */
async function recoveryOfAllInOne(upstreamUrl: string): Promise<number> {
  const product = await startSingleProduct({ env: { LOG_LEVEL: 'warn' } })
  try {
    const [account] = await openClients(product, upstreamUrl, 1)
    const target = { url: product.url, key: account?.key ?? '' }
    await askUntilServed(target)
    const killedAt = performance.now()
    await product.kill('alone')
    const [servedAt] = await Promise.all([askUntilServed(target), product.start()])
    return servedAt - killedAt
  } finally {
    await product.dispose()
  }
}

/**
 * Kills each api in turn while no relay holds quota, so that the next request of every account needs its owner.
 * Answers, for each account that was the killed one's, how long until it was served by the other.
 */
async function recoveriesOfOwners(
  product: DistributedProduct,
  reader: Reader,
  accounts: readonly BenchAccount[],
): Promise<readonly number[]> {
  const recoveries: number[] = []
  for (const api of product.processes('api')) {
    await Promise.all(accounts.map(({ key }) => askUntilServed({ url: relayOf(product), key })))
    await until('holds have ended', () => hasNoHolds(reader), SETTLED_WITHIN_MS)
    await until('both own a share', async () => isShared(await owners(reader)), SETTLED_WITHIN_MS)
    const before = await owners(reader)
    const killedAt = performance.now()
    await api.kill()
    const served = await Promise.all(
      accounts.map(({ key }) => askUntilServed({ url: relayOf(product), key })),
    )
    const after = await owners(reader)
    for (const [index, { account }] of accounts.entries()) {
      const partition = partitionOf(userId(account))
      const servedAt = served[index] ?? Number.NaN
      if (before.get(partition) !== after.get(partition)) recoveries.push(servedAt - killedAt)
    }
    await api.start()
  }
  if (recoveries.length === 0) throw new Error('no account was of an owner that was killed')
  return recoveries
}

/** The owner of each partition, by the leases. */
async function owners(reader: Reader): Promise<ReadonlyMap<number, string>> {
  const { rows } = await reader.query<{ partition: string; member: string }>(
    `select substring(name from '[0-9]+$') as partition, member from coordination.leases
     where sharing = $1`,
    [LEDGER_GROUP],
  )
  return new Map(rows.map(({ partition, member }) => [Number(partition), member]))
}

const isShared = (owners: ReadonlyMap<number, string>): boolean =>
  owners.size === PARTITIONS && new Set(owners.values()).size === 2

async function hasNoHolds(reader: Reader): Promise<boolean> {
  const { rowCount } = await reader.query('select 1 from balances.holds limit 1')
  return rowCount === 0
}

/**
 * Kills each projector in turn and answers the longest time until a charge of afterwards was in log and balance: one of
 * the two had at least one of both.
 */
async function recoveryOfProjectors(
  product: DistributedProduct,
  reader: Reader,
  [account]: readonly BenchAccount[],
): Promise<number> {
  const target = { url: relayOf(product), key: account?.key ?? '' }
  let longestMs = 0
  for (const projector of product.processes('projector')) {
    await visible(reader, await chargedAfter(reader, await endOfLog(reader), target))
    const end = await endOfLog(reader)
    const killedAt = performance.now()
    await projector.kill()
    await visible(reader, await chargedAfter(reader, end, target))
    longestMs = Math.max(longestMs, performance.now() - killedAt)
    await projector.start()
  }
  return longestMs
}

/** Has a request served and answers where its charge stands: behind `end`. */
async function chargedAfter(
  reader: Reader,
  end: number,
  target: { readonly url: string; readonly key: string },
): Promise<number> {
  await askUntilServed(target)
  let position = end
  const isCharged = async (): Promise<boolean> => {
    const { rows } = await reader.query<{ position: string }>(
      `select max(position) as position from ledger.events
       where position > $1 and type = 'UsageCharged'`,
      [end],
    )
    position = Number(rows[0]?.position ?? end)
    return position > end
  }
  await until('the charge is in the log', isCharged, SETTLED_WITHIN_MS)
  return position
}

const visible = (reader: Reader, position: number): Promise<void> =>
  until(
    'the read models have the charge',
    async () => (await visiblePosition(reader)) >= position,
    SETTLED_WITHIN_MS,
  )

const relayOf = ({ relayUrls }: DistributedProduct): string => relayUrls[0] ?? ''

const seconds = (ms: number): string => `${fraction(ms / 1000)} s`

const allInOneFigure = (ms: number): Figure => ({
  what: 'all-in-one killed and started again → a request served',
  measured: seconds(ms),
  target: `< ${START_TARGET_MS / 1000} s`,
  isReached: ms < START_TARGET_MS,
})

const ownerFigure = (recoveries: readonly number[]): Figure => ({
  what: 'owner of an account killed → its next request served by the other',
  measured: `${seconds(Math.min(...recoveries))} to ${seconds(Math.max(...recoveries))}, ${recoveries.length} accounts`,
  target: '',
  isReached: null,
})

const projectorFigure = (ms: number): Figure => ({
  what: 'active projector killed → a charge visible by the other',
  measured: seconds(ms),
  target: '',
  isReached: null,
})
