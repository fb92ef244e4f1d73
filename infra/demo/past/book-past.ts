import {
  type ChannelId,
  type HoldId,
  relayId,
  type TokenId,
  type UserId,
} from '@tollgate/domain/ids.ts'
import type { HoldOwner } from '@tollgate/domain/ports/hold-owner.ts'
import type { UsageJournal } from '@tollgate/domain/ports/usage-journal.ts'
import { charge } from '@tollgate/domain/pricing/charge.ts'
import { findPrice, type PriceBook } from '@tollgate/domain/pricing/price-book.ts'
import { type Quota, quota } from '@tollgate/domain/quota.ts'
import type { DemoClock } from '../demo-clock.ts'
import type { PlannedRequest } from '../history.ts'
import { bookedRequest } from './booked-request.ts'

/** An account of the past, with its tokens by name. */
export interface PastAccount {
  readonly id: UserId
  readonly group: string
  readonly tokens: ReadonlyMap<string, TokenId>
}

/** The dependencies of booking a range of the past. */
export interface PastBooks {
  readonly clock: DemoClock
  /** The owner of the accounts, as a relay knows it. */
  readonly owner: HoldOwner
  readonly journal: UsageJournal
  readonly accounts: ReadonlyMap<string, PastAccount>
  /** The prices in force all the time. */
  readonly book: PriceBook
  /** The channels that serve a model, the first choice first; empty = none. */
  readonly channelsOf: (model: string) => readonly ChannelId[]
  readonly uuid: () => string
  readonly signal: AbortSignal
  readonly onBooked: () => void
}

/** The relay that the past went through. */
const RELAY = relayId('demo-past')

interface Priced {
  readonly plan: PlannedRequest
  readonly amount: Quota
  readonly report: ReturnType<typeof bookedRequest>
}

/**
 * Books planned requests as a relay's reports: each day of a token's is one hold, which its charges are paid by. They go through the
 * ledger's deciders as all charges do, each dated when it ended. Accounts are booked side by side, an account's own in
 * order. A request that no channel could have answered is no charge, and neither are those of a day for which the
 * account has too little.
 */
export async function bookPast(plans: readonly PlannedRequest[], books: PastBooks): Promise<void> {
  const byAccount = Map.groupBy(plans, ({ username }) => username)
  await Promise.all([...byAccount].map(([username, own]) => bookAccount(username, own, books)))
}

async function bookAccount(
  username: string,
  plans: readonly PlannedRequest[],
  books: PastBooks,
): Promise<void> {
  const account = books.accounts.get(username)
  if (account === undefined) return
  for (const run of runsOf(plans)) {
    if (books.signal.aborted) return
    const token = account.tokens.get(run[0]?.token ?? '') ?? null
    const priced = run.flatMap((plan, index) => pricedBy(plan, index, account, books))
    if (priced.length > 0) await bookRun(account, token, priced, books)
    for (const _ of run) books.onBooked()
  }
}

/** A day's requests of a token, without others of the account between them. */
function runsOf(plans: readonly PlannedRequest[]): readonly (readonly PlannedRequest[])[] {
  const runs: PlannedRequest[][] = []
  for (const plan of plans) {
    const last = runs.at(-1)
    const before = last?.at(-1)
    const isSame =
      before !== undefined && before.token === plan.token && dayOf(before.at) === dayOf(plan.at)
    if (isSame) last?.push(plan)
    else runs.push([plan])
  }
  return runs
}

const dayOf = (at: number): number => Math.floor(at / 86_400_000)

function pricedBy(
  plan: PlannedRequest,
  number: number,
  { group }: PastAccount,
  { book, channelsOf }: PastBooks,
): readonly Priced[] {
  const [first, second] = channelsOf(plan.model)
  const isRefused = plan.failure === 'bad-request'
  const channel = plan.failure === null ? first : second
  const found = findPrice(book, { model: plan.model, group, acceptsUnsetRatio: false })
  if (first === undefined || channel === undefined || isRefused || found.status === 'rejected')
    return []
  const failed = plan.failure === null ? null : first
  const report = bookedRequest(plan, { number, group, price: found.price, channel, failed })
  return [{ plan, report, amount: charge(found.price, report.usage).amount }]
}

async function bookRun(
  { id: account }: PastAccount,
  token: TokenId | null,
  priced: readonly Priced[],
  { clock, owner, journal, uuid }: PastBooks,
): Promise<void> {
  const need = quota(priced.reduce((sum, { amount }) => sum + amount, 0))
  const at = priced[0]?.plan.at ?? 0
  const hold = await clock.within({ at, elapsedMs: 0 }, async (): Promise<HoldId | null> => {
    const ask = { account, token, relay: RELAY, nonce: uuid(), need, want: need }
    const answer = await owner.placeHold(ask)
    return answer.status === 'held' ? answer.hold : null
  })
  if (hold === null) return
  for (const [index, { plan, amount, report }] of priced.entries()) {
    const endedAt = plan.at + report.durationMs
    const usage = {
      type: 'usage',
      account,
      relay: RELAY,
      hold,
      sequence: index + 1,
      token,
      amount,
      request: report,
      final: index === priced.length - 1,
      endedAt,
    } as const
    await clock.within({ at: endedAt, elapsedMs: 0 }, async () => journal.publish(usage))
  }
}
