import { postings } from '@tollgate/domain/account/postings.ts'
import { numberOfStream } from '@tollgate/domain/event.ts'
import { type UserId, userId } from '@tollgate/domain/ids.ts'
import type { ModelTables } from '../runner/model-tables.ts'
import type { Recorded } from '../runner/projected-events.ts'
import type { Projector } from '../runner/projector.ts'
import { namesOf, unnest, valuesOf } from '../runner/columns.ts'
import { applyHoldChanges, type HoldEvent, holdEventTypes } from './holds.ts'

/** One row per account (what its postings add up to, and its counters), per open hold, and per hold that expired. */
const tables = `
  create table accounts (
    user_id bigint primary key,
    status text not null default 'active',
    wallet bigint not null default 0,
    held bigint not null default 0,
    affiliate bigint not null default 0,
    posted bigint generated always as (wallet + held) stored,
    affiliate_earned bigint not null default 0,
    affiliate_count int not null default 0,
    used_quota bigint not null default 0,
    request_count bigint not null default 0,
    opened_at bigint
  );
  create table holds (
    hold text primary key,
    user_id bigint not null,
    token_id bigint,
    relay text not null,
    remaining bigint not null,
    since bigint not null
  );
  create table expired_holds (
    hold text primary key,
    user_id bigint not null,
    token_id bigint,
    relay text not null,
    amount bigint not null,
    cause text not null,
    at bigint not null
  )`

const indexes = `
  create index on holds (since);
  create index on expired_holds (at, hold);
  create index on expired_holds (user_id, at, hold)`

const comparison = `
  select 'user ' || user_id as key, jsonb_build_object('status', status, 'wallet', wallet, 'held', held,
    'affiliate', affiliate, 'affiliate_earned', affiliate_earned, 'affiliate_count', affiliate_count,
    'used_quota', used_quota, 'request_count', request_count) as figures
  from {accounts}
  union all
  select 'holds of user ' || user_id, jsonb_build_object('count', count(*), 'remaining', sum(remaining))
  from {holds} group by user_id`

const eventTypes = [
  'AccountOpened',
  'AccountSuspended',
  'AccountResumed',
  'QuotaCredited',
  'QuotaDebited',
  'UsageCharged',
  'UsageRefunded',
  'AffiliateRewardEarned',
  'AffiliateQuotaTransferred',
  'UserRegistered',
  ...holdEventTypes,
] as const

type BalanceEvent = Parameters<typeof balances.handle>[0][number]

/** A batch's change of one account: sums, so that events of one account need no rows read. */
interface Change {
  wallet: number
  held: number
  affiliate: number
  affiliate_earned: number
  affiliate_count: number
  used_quota: number
  request_count: number
  status: string | null
  opened_at: number | null
}

/**
 * Balances, counters, open and expired holds of every account. Reads the events of `account-…`; posts by
 * domain/account/postings. Of `user-…` it counts who invited whom, rewarded or not.
 */
export const balances: Projector<(typeof eventTypes)[number]> = {
  name: 'balances',
  version: 5,
  streamPrefixes: ['account-', 'user-'],
  eventTypes,
  tables,
  indexes,
  comparison,
  async handle(batch, tx) {
    const changes = new Map<UserId, Change>()
    for (const event of batch) collect(changes, event)
    await Promise.all([writeChanges(changes, tx), applyHoldChanges(batch.filter(isHoldEvent), tx)])
  },
}

function collect(changes: Map<UserId, Change>, event: BalanceEvent): void {
  const changeOf = (account: UserId): Change => {
    const change = changes.get(account) ?? noChange()
    changes.set(account, change)
    return change
  }
  if (event.type === 'UserRegistered') {
    const { inviter } = event.data
    if (inviter !== null) changeOf(userId(inviter)).affiliate_count += 1
    return
  }
  const account = userId(numberOfStream(event.stream))
  const change = changeOf(account)
  for (const { from, to, amount } of postings(account, event)) {
    add(change, from, 0 - amount)
    add(change, to, amount)
  }
  switch (event.type) {
    case 'AccountOpened':
      change.status = 'active'
      change.opened_at = event.data.at
      break
    case 'AccountResumed':
      change.status = 'active'
      break
    case 'AccountSuspended':
      change.status = 'suspended'
      break
    case 'UsageCharged':
      change.used_quota += event.data.amount
      change.request_count += 1
      break
    case 'UsageRefunded':
      change.used_quota -= event.data.amount
      change.request_count -= 1
      break
    case 'AffiliateRewardEarned':
      change.affiliate_earned += event.data.amount
      break
    case 'QuotaCredited':
    case 'QuotaDebited':
    case 'QuotaHeld':
    case 'HoldExtended':
    case 'HoldReduced':
    case 'HoldReleased':
    case 'HoldExpired':
    case 'AffiliateQuotaTransferred':
      // Their postings say it all.
      break
    default:
      event satisfies never
  }
}

function add(change: Change, ledgerAccount: string, amount: number): void {
  if (ledgerAccount.startsWith('wallet:')) change.wallet += amount
  else if (ledgerAccount.startsWith('held:')) change.held += amount
  else if (ledgerAccount.startsWith('affiliate:')) change.affiliate += amount
}

const noChange = (): Change => ({
  wallet: 0,
  held: 0,
  affiliate: 0,
  affiliate_earned: 0,
  affiliate_count: 0,
  used_quota: 0,
  request_count: 0,
  status: null,
  opened_at: null,
})

const CHANGE_COLUMNS = {
  user_id: 'bigint',
  wallet: 'bigint',
  held: 'bigint',
  affiliate: 'bigint',
  affiliate_earned: 'bigint',
  affiliate_count: 'int',
  used_quota: 'bigint',
  request_count: 'bigint',
  status: 'text',
  opened_at: 'bigint',
} as const

async function writeChanges(changes: ReadonlyMap<UserId, Change>, tx: ModelTables): Promise<void> {
  const rows = [...changes].map(([account, change]) => ({ user_id: account, ...change }))
  await tx.query(
    `insert into {accounts} as a (${namesOf(CHANGE_COLUMNS)})
     select user_id, wallet, held, affiliate, affiliate_earned, affiliate_count, used_quota, request_count,
            coalesce(status, 'active'), opened_at
     from ${unnest(CHANGE_COLUMNS)}
     on conflict (user_id) do update set
       wallet = a.wallet + excluded.wallet,
       held = a.held + excluded.held,
       affiliate = a.affiliate + excluded.affiliate,
       affiliate_earned = a.affiliate_earned + excluded.affiliate_earned,
       affiliate_count = a.affiliate_count + excluded.affiliate_count,
       used_quota = a.used_quota + excluded.used_quota,
       request_count = a.request_count + excluded.request_count,
       opened_at = coalesce(excluded.opened_at, a.opened_at)`,
    [...valuesOf(rows, CHANGE_COLUMNS)],
  )
  const withStatus = rows.filter((row) => row.status !== null)
  if (withStatus.length === 0) return
  await tx.query(
    `update {accounts} as a set status = t.status from ${unnest(STATUS_COLUMNS)} where a.user_id = t.user_id`,
    [...valuesOf(withStatus, STATUS_COLUMNS)],
  )
}

const STATUS_COLUMNS = { user_id: 'bigint', status: 'text' } as const

const holdTypes: ReadonlySet<string> = new Set(holdEventTypes)
const isHoldEvent = (event: Recorded): event is HoldEvent =>
  holdTypes.has(event.type) || event.type === 'UsageCharged'
