import type { AccountEvent } from '@tollgate/domain/account/events.ts'
import { type LedgerAccount, postings } from '@tollgate/domain/account/postings.ts'
import { ACCOUNT_EVENT_TYPES } from '@tollgate/domain/account/event-types.ts'
import { numberOfStream } from '@tollgate/domain/event.ts'
import { userId } from '@tollgate/domain/ids.ts'
import { z } from 'zod'
import { insertRows, upsertRows } from '../runner/insert-rows.ts'
import type { ModelTables } from '../runner/model-tables.ts'
import { ensureMonths } from '../runner/months.ts'
import type { Projector } from '../runner/projector.ts'
import { entryFacts, entryFactsRow } from './entry-facts.ts'
import { LEDGER_ACCOUNTS, type LedgerAccountKind } from './journal-filter.ts'
import { addToSums, SUM_TABLES } from './sums.ts'

/**
 * `postings` has one row per posting and carries what the user's three ledger accounts hold after it. `at` is the
 * event's own (unix milliseconds); `effective_at` is the latest `at` in the stream up to it, which as-of questions go by
 * and months are partitioned by. `balances` is where each user's accounts stand, `moments` the latest `at` of each
 * user's stream, both to continue from.
 * Ledger accounts of the user are named `wallet`, `held`, `affiliate`; the others as in domain/account/postings.
 * The sums go by effective time in UTC, so that no question about a span of time reads all postings in it: `hours` is
 * what each source, token and model has changed a user's posted balance (wallet + held) by, with the events' number and
 * the first and last of them; `source_days` the same by day; `days` what each ledger account of a user was debited and credited, `totals` the same over
 * all users. `hour` and `day` are their first moment in unix milliseconds.
 */
const tables = `
  create table postings (
    position bigint not null,
    line smallint not null,
    at bigint not null,
    effective_at bigint not null,
    user_id bigint not null,
    from_account text not null,
    to_account text not null,
    amount bigint not null,
    wallet bigint not null,
    held bigint not null,
    affiliate bigint not null,
    event_id uuid not null,
    event_type text not null,
    request_id text collate "C" not null,
    actor text collate "C" not null,
    source text collate "C" not null,
    token_id bigint not null,
    channel bigint not null,
    model text collate "C" not null,
    reason text not null,
    adjustment text not null,
    late smallint not null
  ) partition by range (effective_at);
  create table balances (
    user_id bigint primary key,
    wallet bigint not null,
    held bigint not null,
    affiliate bigint not null
  );
  create table moments (
    user_id bigint primary key,
    effective_at bigint not null
  );
  ${SUM_TABLES}`

const indexes = `
  create index on postings (user_id, position desc, line desc);
  create index on postings (user_id, effective_at desc, position desc, line desc);
  create index on postings (user_id, position) where source not in ('usage', 'hold');
  create index on postings (position);
  create index on postings (request_id) where request_id <> '';
  create index on postings (token_id, position) where token_id <> 0;
  create index on postings (channel, position) where channel <> 0;
  create index on postings (model, position) where model <> '';
  create index on days (user_id, account, day);
  create index on postings using brin (effective_at)`

const comparison = `
  select 'user ' || user_id as key, jsonb_build_object('postings', count(*), 'amount', sum(amount)) as figures
  from {postings} group by user_id
  union all
  select 'balances of user ' || user_id, jsonb_build_object('wallet', wallet, 'held', held, 'affiliate', affiliate)
  from {balances} where wallet <> 0 or held <> 0 or affiliate <> 0`

/** All of them: any may carry the latest `at` of its stream. */
const eventTypes = Object.keys(ACCOUNT_EVENT_TYPES) as AccountEvent['type'][]

type Recorded = Parameters<typeof journal.handle>[0][number]

/** The balances of a user's own ledger accounts. */
interface Balances {
  wallet: number
  held: number
  affiliate: number
}

/** A row of `journal.postings`. */
export const postingRow = entryFactsRow.extend({
  position: z.number(),
  line: z.number(),
  at: z.number(),
  effective_at: z.number(),
  user_id: z.number(),
  from_account: z.enum(LEDGER_ACCOUNTS),
  to_account: z.enum(LEDGER_ACCOUNTS),
  amount: z.number(),
  wallet: z.number(),
  held: z.number(),
  affiliate: z.number(),
  event_id: z.string(),
  event_type: z.string(),
})
export type PostingRow = Readonly<z.output<typeof postingRow>>

/** The journal: every posting of every quota event, with running balances. */
export const journal: Projector<AccountEvent['type']> = {
  name: 'journal',
  version: 6,
  streamPrefixes: ['account-'],
  eventTypes,
  tables,
  indexes,
  comparison,
  async handle(batch, tx) {
    const [balances, moments] = await Promise.all([loadBalances(batch, tx), loadMoments(batch, tx)])
    const rows = batch.flatMap((event) => post(event, balances, moveOn(event, moments)))
    await Promise.all([
      insertPostings(rows, tx),
      storeBalances(rows, balances, tx),
      storeMoments(moments, tx),
      addToSums(rows, tx),
    ])
  },
}

/** The event's effective time; moves the stream's latest along. */
function moveOn(event: Recorded, moments: Map<number, number>): number {
  const user = numberOfStream(event.stream)
  const effectiveAt = Math.max(moments.get(user) ?? event.data.at, event.data.at)
  moments.set(user, effectiveAt)
  return effectiveAt
}

/** The rows of an event's postings; moves the user's balances along. */
function post(
  event: Recorded,
  balances: ReadonlyMap<number, Balances>,
  effectiveAt: number,
): readonly PostingRow[] {
  const user = userId(numberOfStream(event.stream))
  const own = balances.get(user)
  if (own === undefined) throw new TypeError(`the balances of user ${user} were not loaded`)
  const facts = entryFacts(event)
  if (facts === null) return []
  return postings(user, event).map(({ from, to, amount }, line) => {
    const [source, target] = [withoutUser(from), withoutUser(to)]
    if (isOwn(source)) own[source] -= amount
    if (isOwn(target)) own[target] += amount
    return {
      ...own,
      position: event.position,
      line,
      at: event.data.at,
      effective_at: effectiveAt,
      user_id: user,
      from_account: source,
      to_account: target,
      amount,
      event_id: event.id,
      event_type: event.type,
      ...facts,
    }
  })
}

const withoutUser = (account: LedgerAccount): LedgerAccountKind =>
  account.split(':', 1)[0] as LedgerAccountKind
const isOwn = (account: string): account is keyof Balances =>
  account === 'wallet' || account === 'held' || account === 'affiliate'

async function loadBalances(
  batch: readonly Recorded[],
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

async function loadMoments(
  batch: readonly Recorded[],
  tx: ModelTables,
): Promise<Map<number, number>> {
  const users = [...new Set(batch.map((event) => numberOfStream(event.stream)))]
  const rows = await tx.query<{ user_id: number; effective_at: number }>(
    'select user_id, effective_at from {moments} where user_id = any($1)',
    [users],
  )
  return new Map(rows.map((row) => [row.user_id, row.effective_at]))
}

async function insertPostings(rows: readonly PostingRow[], tx: ModelTables): Promise<void> {
  if (rows.length === 0) return
  await ensureMonths(
    tx,
    'postings',
    rows.map((row) => row.effective_at),
    'milliseconds',
  )
  await insertRows(tx, 'postings', POSTING_COLUMNS, rows)
}

const POSTING_COLUMNS = {
  position: 'bigint',
  line: 'smallint',
  at: 'bigint',
  effective_at: 'bigint',
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
  actor: 'text',
  source: 'text',
  token_id: 'bigint',
  channel: 'bigint',
  model: 'text',
  reason: 'text',
  adjustment: 'text',
  late: 'smallint',
} as const satisfies Record<keyof PostingRow, string>

async function storeBalances(
  posted: readonly PostingRow[],
  balances: ReadonlyMap<number, Balances>,
  tx: ModelTables,
): Promise<void> {
  const users = new Set(posted.map((row) => row.user_id))
  const rows = [...balances]
    .filter(([user]) => users.has(user))
    .map(([user, own]) => ({ user_id: user, ...own }))
  if (rows.length === 0) return
  await upsertRows(
    tx,
    'balances',
    { columns: BALANCE_COLUMNS, key: 'user_id', changing: ['wallet', 'held', 'affiliate'] },
    rows,
  )
}

const BALANCE_COLUMNS = {
  user_id: 'bigint',
  wallet: 'bigint',
  held: 'bigint',
  affiliate: 'bigint',
} as const

async function storeMoments(moments: ReadonlyMap<number, number>, tx: ModelTables): Promise<void> {
  const rows = [...moments].map(([user, effectiveAt]) => ({
    user_id: user,
    effective_at: effectiveAt,
  }))
  const how = { key: 'user_id', changing: ['effective_at'] } as const
  await upsertRows(
    tx,
    'moments',
    { columns: { user_id: 'bigint', effective_at: 'bigint' }, ...how },
    rows,
  )
}
