import { postings } from '@tollgate/domain/account/postings.ts'
import { numberOfStream } from '@tollgate/domain/event.ts'
import { userId } from '@tollgate/domain/ids.ts'
import { keyText } from '../runner/columns.ts'
import { insertRows, upsertRows } from '../runner/insert-rows.ts'
import type { ModelTables } from '../runner/model-tables.ts'
import { ensureMonths } from '../runner/months.ts'
import type { Projector } from '../runner/projector.ts'

/**
 * `postings` has one row per posting, partitioned by month of `at` (unix milliseconds) and carrying what the user's
 * three ledger accounts hold after it. `balances` is where each user's stand, to continue from.
 * Ledger accounts of the user are named `wallet`, `held`, `affiliate`; the others as in domain/account/postings.
 */
const tables = `
  create table postings (
    position bigint not null,
    line smallint not null,
    at bigint not null,
    user_id bigint not null,
    from_account text not null,
    to_account text not null,
    amount bigint not null,
    wallet bigint not null,
    held bigint not null,
    affiliate bigint not null,
    event_id uuid not null,
    event_type text not null,
    request_id text collate "C" not null
  ) partition by range (at);
  create table balances (
    user_id bigint primary key,
    wallet bigint not null,
    held bigint not null,
    affiliate bigint not null
  )`

const indexes = `
  create index on postings (user_id, position desc, line desc);
  create index on postings (user_id, at desc, position desc, line desc);
  create index on postings (position)`

const comparison = `
  select 'user ' || user_id as key, jsonb_build_object('postings', count(*), 'amount', sum(amount)) as figures
  from {postings} group by user_id
  union all
  select 'balances of user ' || user_id, jsonb_build_object('wallet', wallet, 'held', held, 'affiliate', affiliate)
  from {balances}`

const eventTypes = [
  'QuotaCredited',
  'QuotaDebited',
  'QuotaHeld',
  'HoldExtended',
  'HoldReduced',
  'HoldReleased',
  'HoldExpired',
  'UsageCharged',
  'UsageRefunded',
  'AffiliateRewardEarned',
  'AffiliateQuotaTransferred',
] as const

type QuotaEvent = Parameters<typeof journal.handle>[0][number]

interface Balances {
  wallet: number
  held: number
  affiliate: number
}

/** A row of `journal.postings`. */
export interface PostingRow extends Readonly<Balances> {
  readonly position: number
  readonly line: number
  readonly at: number
  readonly user_id: number
  readonly from_account: string
  readonly to_account: string
  readonly amount: number
  readonly event_id: string
  readonly event_type: string
  readonly request_id: string
}

/** The journal: every posting of every quota event, with running balances. */
export const journal: Projector<(typeof eventTypes)[number]> = {
  name: 'journal',
  version: 1,
  streamPrefixes: ['account-'],
  eventTypes,
  tables,
  indexes,
  comparison,
  async handle(batch, tx) {
    const balances = await loadBalances(batch, tx)
    const rows = batch.flatMap((event) => post(event, balances))
    if (rows.length === 0) return
    await Promise.all([insertPostings(rows, tx), storeBalances(balances, tx)])
  },
}

/** The rows of an event's postings; moves the user's balances along. */
function post(event: QuotaEvent, balances: ReadonlyMap<number, Balances>): readonly PostingRow[] {
  const user = userId(numberOfStream(event.stream))
  const own = balances.get(user)
  if (own === undefined) throw new TypeError(`the balances of user ${user} were not loaded`)
  return postings(user, event).map(({ from, to, amount }, line) => {
    const [source, target] = [withoutUser(from), withoutUser(to)]
    if (isOwn(source)) own[source] -= amount
    if (isOwn(target)) own[target] += amount
    return {
      ...own,
      position: event.position,
      line,
      at: event.data.at,
      user_id: user,
      from_account: source,
      to_account: target,
      amount,
      event_id: event.id,
      event_type: event.type,
      request_id: requestOf(event),
    }
  })
}

const withoutUser = (account: string): string => account.split(':', 1)[0] ?? account
const isOwn = (account: string): account is keyof Balances =>
  account === 'wallet' || account === 'held' || account === 'affiliate'

function requestOf(event: QuotaEvent): string {
  if (event.type === 'UsageCharged') return keyText(event.data.request.id)
  return event.type === 'UsageRefunded' ? keyText(event.data.request) : ''
}

async function loadBalances(
  batch: readonly QuotaEvent[],
  tx: ModelTables,
): Promise<Map<number, Balances>> {
  const users = [...new Set(batch.map((event) => numberOfStream(event.stream)))]
  const balances = new Map<number, Balances>(
    users.map((user) => [user, { wallet: 0, held: 0, affiliate: 0 }]),
  )
  const rows = await tx.query<Balances & { user_id: number }>(
    'select user_id, wallet, held, affiliate from {balances} where user_id = any($1)',
    [users],
  )
  for (const { user_id: user, wallet, held, affiliate } of rows) {
    balances.set(user, { wallet, held, affiliate })
  }
  return balances
}

async function insertPostings(rows: readonly PostingRow[], tx: ModelTables): Promise<void> {
  await ensureMonths(
    tx,
    'postings',
    rows.map((row) => row.at),
    'milliseconds',
  )
  await insertRows(tx, 'postings', POSTING_COLUMNS, rows)
}

const POSTING_COLUMNS = {
  position: 'bigint',
  line: 'smallint',
  at: 'bigint',
  user_id: 'bigint',
  from_account: 'text',
  to_account: 'text',
  amount: 'bigint',
  wallet: 'bigint',
  held: 'bigint',
  affiliate: 'bigint',
  event_id: 'uuid',
  event_type: 'text',
  request_id: 'text',
} as const satisfies Record<keyof PostingRow, string>

async function storeBalances(
  balances: ReadonlyMap<number, Balances>,
  tx: ModelTables,
): Promise<void> {
  const rows = [...balances].map(([user, own]) => ({ user_id: user, ...own }))
  await upsertRows(
    tx,
    'balances',
    BALANCE_COLUMNS,
    { key: 'user_id', changing: ['wallet', 'held', 'affiliate'] },
    rows,
  )
}

const BALANCE_COLUMNS = {
  user_id: 'bigint',
  wallet: 'bigint',
  held: 'bigint',
  affiliate: 'bigint',
} as const
