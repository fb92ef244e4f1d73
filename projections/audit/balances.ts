import { isDeepStrictEqual } from 'node:util'
import type { AccountEvent } from '@tollgate/domain/account/events.ts'
import { evolve } from '@tollgate/domain/account/evolve.ts'
import { postings } from '@tollgate/domain/account/postings.ts'
import { snapshotOf } from '@tollgate/domain/account/snapshot.ts'
import { type AccountState, unopenedAccount } from '@tollgate/domain/account/state.ts'
import { isAccountEvent } from '@tollgate/domain/account/event-types.ts'
import { numberOfStream } from '@tollgate/domain/event.ts'
import { type UserId, userId } from '@tollgate/domain/ids.ts'
import type { Recorded } from '../runner/projected-events.ts'
import { type Comparison, compareTable, type Figure, type ExpectedModel } from './expected-model.ts'

/** One account, folded from its first event on; carried-forward balances are checked, never trusted. */
interface ExpectedAccount {
  state: AccountState
  /** The sums of its postings, by ledger account. */
  wallet: number
  held: number
  affiliate: number
  affiliateEarned: number
  affiliateCount: number
  refundedRequests: number
  openedAt: number | null
  /** False while all its events were about tokens, which leave no row. */
  hasRow: boolean
}

interface FoundWrong {
  readonly key: string
  readonly column: string
  readonly ledger: Figure
  readonly found: Figure
}

/**
 * Balances, counters, open and expired holds by the domain's own fold and postings. Also holds the ledger against itself: every
 * balance carried forward must be what the events before it fold to, and postings must give the same sums as the fold.
 */
export function expectBalances(): ExpectedModel {
  const accounts = new Map<UserId, ExpectedAccount>()
  const heldSince = new Map<string, number>()
  /** Few: a hold expires when its relay has fallen silent. */
  const expired = new Map<string, Readonly<Record<string, Figure>>>()
  /** At most as many as there are carried-forward balances; few are ever wrong. */
  const wronglyCarried: FoundWrong[] = []

  function accountOf(user: UserId): ExpectedAccount {
    const account = accounts.get(user) ?? newAccount()
    accounts.set(user, account)
    return account
  }

  function countInvited({ data }: Extract<Recorded, { type: 'UserRegistered' }>): void {
    if (data.inviter === null) return
    const account = accountOf(userId(data.inviter))
    account.affiliateCount += 1
    account.hasRow = true
  }

  function take(event: Recorded): void {
    if (event.type === 'UserRegistered') return countInvited(event)
    if (!isAccountEvent(event)) return
    const user = userId(numberOfStream(event.stream))
    const account = accountOf(user)
    if (event.type === 'BalanceCarriedForward') {
      wronglyCarried.push(...carriedDifferences(account, event))
      return
    }
    account.hasRow ||= !event.type.startsWith('Token')
    if (event.type === 'HoldExpired') {
      expired.set(`hold ${event.data.hold}`, expiredRow(user, account.state, event))
    }
    account.state = evolve(account.state, event)
    post(account, user, event)
    if (event.type === 'UsageRefunded') account.refundedRequests += 1
    if (event.type === 'AccountOpened') account.openedAt = event.data.at
    if (event.type === 'QuotaHeld') heldSince.set(event.data.hold, event.data.at)
    if (event.type === 'HoldReleased' || event.type === 'HoldExpired') {
      heldSince.delete(event.data.hold)
    }
    if (event.type === 'AffiliateRewardEarned') account.affiliateEarned += event.data.amount
  }

  async function compare(comparison: Comparison): Promise<void> {
    for (const { key, column, ledger, found } of wronglyCarried) {
      comparison.differs({ table: '(carried forward)', key, column, ledger, found })
    }
    for (const [user, account] of accounts) compareWithItself(comparison, user, account)
    await compareTable(comparison, 'accounts', {
      rows: comparison.rows<{ user_id: number }>('select * from balances.accounts'),
      expected: new Map(
        [...accounts]
          .filter(([, { hasRow }]) => hasRow)
          .map(([user, account]) => [`user ${user}`, accountRow(account)]),
      ),
      keyOf: (row) => `user ${row.user_id}`,
    })
    await compareTable(comparison, 'holds', {
      rows: comparison.rows<{ hold: string }>('select * from balances.holds'),
      expected: new Map(
        [...accounts].flatMap(([user, { state }]) => holdRows(user, state, heldSince)),
      ),
      keyOf: (row) => `hold ${row.hold}`,
    })
    await compareTable(comparison, 'expired_holds', {
      rows: comparison.rows<{ hold: string }>('select * from balances.expired_holds'),
      expected: expired,
      keyOf: (row) => `hold ${row.hold}`,
    })
  }

  return { model: 'balances', tables: ['accounts', 'holds', 'expired_holds'], take, compare }
}

const newAccount = (): ExpectedAccount => ({
  state: unopenedAccount(),
  wallet: 0,
  held: 0,
  affiliate: 0,
  affiliateEarned: 0,
  affiliateCount: 0,
  refundedRequests: 0,
  openedAt: null,
  hasRow: false,
})

function post(account: ExpectedAccount, user: UserId, event: AccountEvent): void {
  for (const { from, to, amount } of postings(user, event)) {
    const [source, target] = [kindOf(from), kindOf(to)]
    if (isOwn(source)) account[source] -= amount
    if (isOwn(target)) account[target] += amount
  }
}

const kindOf = (account: string): string => account.split(':', 1)[0] ?? account
const isOwn = (kind: string): kind is 'wallet' | 'held' | 'affiliate' =>
  kind === 'wallet' || kind === 'held' || kind === 'affiliate'

function carriedDifferences(
  { state, refundedRequests }: ExpectedAccount,
  { stream, revision, data }: Extract<Recorded, { type: 'BalanceCarriedForward' }>,
): readonly FoundWrong[] {
  const folded: Readonly<Record<string, unknown>> = { ...snapshotOf(state) }
  // A refund did not always take its request out of the count, and what was carried then went on from balance to balance.
  const surplus = data.account.requestCount - state.requestCount
  const isOfBefore = surplus > 0 && surplus <= refundedRequests
  const carried: Readonly<Record<string, unknown>> = {
    ...data.account,
    ...(isOfBefore && { requestCount: state.requestCount }),
  }
  return Object.keys(folded)
    .filter((column) => !isDeepStrictEqual(plain(folded[column]), carried[column]))
    .map((column) => ({
      key: `${stream}, revision ${revision}`,
      column,
      ledger: excerpt(folded[column]),
      found: excerpt(carried[column]),
    }))
}

const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value)) as unknown
const EXCERPT_CHARACTERS = 200
const excerpt = (value: unknown): string =>
  (JSON.stringify(value) ?? 'none').slice(0, EXCERPT_CHARACTERS)

function compareWithItself(
  comparison: Comparison,
  user: UserId,
  { state, wallet, held, affiliate }: ExpectedAccount,
): void {
  const posted: Readonly<Record<string, number>> = { posted: wallet + held, held, affiliate }
  const folded: Readonly<Record<string, number>> = {
    posted: state.posted,
    held: state.held,
    affiliate: state.affiliate,
  }
  for (const [column, figure] of Object.entries(posted)) {
    const found = folded[column] ?? 0
    if (figure !== found)
      comparison.differs({ table: '(fold)', key: `user ${user}`, column, ledger: figure, found })
  }
}

const accountRow = (account: ExpectedAccount): Readonly<Record<string, Figure>> => ({
  // A row begins as active: an account that was never opened shows so.
  status: account.state.status === 'unopened' ? 'active' : account.state.status,
  wallet: account.wallet,
  held: account.held,
  posted: account.state.posted,
  affiliate: account.state.affiliate,
  affiliate_earned: account.affiliateEarned,
  affiliate_count: account.affiliateCount,
  used_quota: account.state.usedQuota,
  request_count: account.state.requestCount,
  opened_at: account.openedAt,
})

const holdRows = (
  user: UserId,
  state: AccountState,
  heldSince: ReadonlyMap<string, number>,
): [string, Readonly<Record<string, Figure>>][] =>
  [...state.holds].map(([hold, { token, relay, remaining }]) => [
    `hold ${hold}`,
    {
      user_id: user,
      token_id: token,
      relay,
      remaining,
      since: heldSince.get(hold) ?? null,
    },
  ])

const expiredRow = (
  user: UserId,
  { holds }: AccountState,
  { data }: Extract<AccountEvent, { type: 'HoldExpired' }>,
): Readonly<Record<string, Figure>> => ({
  user_id: user,
  token_id: holds.get(data.hold)?.token ?? null,
  relay: holds.get(data.hold)?.relay ?? 'unknown',
  amount: data.amount,
  cause: data.cause,
  at: data.at,
})
