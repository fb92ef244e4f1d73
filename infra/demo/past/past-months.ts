import { channelId, tokenId, userId } from '@tollgate/domain/ids.ts'
import type { HoldOwner } from '@tollgate/domain/ports/hold-owner.ts'
import type { UsageJournal } from '@tollgate/domain/ports/usage-journal.ts'
import type { EventStore } from '@tollgate/domain/ports/event-store.ts'
import { readBooks } from '@tollgate/projections/replays/books.ts'
import type { DemoClock } from '../demo-clock.ts'
import { DOLLAR, type SeededData } from '../seed-data.ts'
import type { PlannedRequest } from '../history.ts'
import { CHANNELS, PRICE_CHANGE } from '../people.ts'
import { bookPast } from './book-past.ts'
import { issueCodes, orderTopUp, payOrder, redeemCode } from './purchases.ts'

const DAY_MS = 86_400_000

/** The first moment of the two finished months before a moment's own; UTC. */
export function pastBeginsAt(now: number): number {
  const date = new Date(now)
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() - 2, 1)
}

export interface Past {
  readonly clock: DemoClock
  readonly seeded: SeededData
  readonly store: EventStore
  readonly owner: HoldOwner
  readonly journal: UsageJournal
  readonly uuid: () => string
  readonly signal: AbortSignal
  readonly onBooked: () => void
  /** Waits until the read models have followed the log: administrators see the balances of their own moment. */
  readonly readModelsCaughtUp: () => Promise<void>
  /** Lets requests fail at the dying key until its channel is switched off. */
  readonly failAt: (at: number) => Promise<void>
  /** Sends a request through the relay at its own moment. */
  readonly send: (plan: PlannedRequest) => Promise<void>
}

/** Something that an administrator did at a moment of the past. */
interface Act {
  readonly at: number
  readonly act: () => Promise<void>
}

/**
 * Makes the past up to `to`: charges booked by the prices of their day, and between them what administrators did: quota
 * granted every month, a price lowered, a balance corrected, a channel that failed and came back a day later. People buy
 * quota and redeem codes; the relay itself takes the requests that upstream refuses, so that the log has their failures.
 */
export async function makePast(
  plans: readonly PlannedRequest[],
  { from, to }: { readonly from: number; readonly to: number },
  past: Past,
): Promise<void> {
  const { clock, seeded, signal } = past
  const isOff = { value: false }
  let booked = 0
  const acts = [...actsOf(from, past, isOff), ...purchases(from, past), ...refusals(plans, past)]
  const due = acts.filter(({ at }) => at < to).toSorted((a, b) => a.at - b.at)
  for (const { at, act } of due) {
    const own = plans.slice(booked).findIndex((plan) => plan.at >= at)
    const until = own < 0 ? plans.length : booked + own
    await bookRange(plans.slice(booked, until), past, isOff.value)
    booked = until
    if (signal.aborted) return
    clock.advanceTo(at)
    await act()
  }
  await bookRange(plans.slice(booked), past, isOff.value)
  clock.advanceTo(to)
  await seeded.renewRoot()
}

const PRICE_NOTE = 'the provider lowered its prices'
const CORRECTION = 'allowance was meant for another account'

function actsOf(from: number, past: Past, isOff: { value: boolean }): readonly Act[] {
  const { seeded } = past
  const start = new Date(from)
  const monthAt = (index: number): number =>
    Date.UTC(start.getUTCFullYear(), start.getUTCMonth() + index, 1, 9)
  const second = monthAt(1)
  const inTime = (act: () => Promise<void>) => async (): Promise<void> => {
    // A session of weeks ago has ended.
    await seeded.renewRoot()
    await past.readModelsCaughtUp()
    await act()
  }
  const failedAt = second + 13 * DAY_MS + 5 * 3_600_000
  return [
    { at: second, act: inTime(() => seeded.grantMonth()) },
    { at: second + 8 * DAY_MS, act: inTime(() => seeded.revisePrices(PRICE_CHANGE, PRICE_NOTE)) },
    {
      at: failedAt,
      act: inTime(async () => {
        await past.failAt(failedAt)
        isOff.value = true
      }),
    },
    {
      at: failedAt + DAY_MS,
      act: inTime(async () => {
        await seeded.switchOn(CHANNELS[1]?.name ?? '')
        isOff.value = false
      }),
    },
    { at: second + 20 * DAY_MS, act: inTime(() => seeded.correct('jonas', -1, CORRECTION)) },
    { at: monthAt(2), act: inTime(() => seeded.grantMonth()) },
  ]
}

/** Codes given away in the first month, of which two are redeemed, and top-ups: three paid, one never. */
function purchases(from: number, { seeded }: Past): readonly Act[] {
  const keys: string[] = []
  const dayAt = (day: number, hour: number): number => from + day * DAY_MS + hour * 3_600_000
  const buy = async (username: string, dollars: number, isPaid: boolean): Promise<void> => {
    const buyer = await seeded.sessionOf(username)
    const form = await orderTopUp(buyer, dollars)
    if (isPaid) await payOrder(buyer, form)
  }
  const redeem = async (username: string): Promise<void> => {
    const key = keys.pop()
    if (key !== undefined) await redeemCode(await seeded.sessionOf(username), key)
  }
  return [
    {
      at: dayAt(9, 10),
      act: async () => {
        await seeded.renewRoot()
        const code = { name: 'autumn', count: 5, quota: 2 * DOLLAR }
        keys.push(...(await issueCodes(seeded.root(), code)))
      },
    },
    { at: dayAt(11, 15), act: () => redeem('omar') },
    { at: dayAt(12, 9), act: () => redeem('jonas') },
    { at: dayAt(17, 11), act: () => buy('aiko', 10, true) },
    { at: dayAt(36, 14), act: () => buy('marcus.t', 5, true) },
    { at: dayAt(52, 16), act: () => buy('sofia.reyes', 20, false) },
    { at: dayAt(53, 8), act: () => buy('mei.lin', 10, true) },
  ]
}

/** Requests that upstream refuses for what is in them: no charge, but a failure in the log. */
const refusals = (plans: readonly PlannedRequest[], { send }: Past): readonly Act[] =>
  plans
    .filter(({ failure }) => failure === 'bad-request')
    .map((plan) => ({ at: plan.at, act: () => send(plan) }))

async function bookRange(
  plans: readonly PlannedRequest[],
  past: Past,
  isSecondOff: boolean,
): Promise<void> {
  if (plans.length === 0) return
  const { store, seeded } = past
  const books = await readBooks(store)
  const accounts = new Map(
    [...seeded.accounts].map(([name, { id, group, tokens }]) => [
      name,
      {
        id: userId(id),
        group,
        tokens: new Map([...tokens].map(([token, number]) => [token, tokenId(number)])),
      },
    ]),
  )
  const channels = CHANNELS.map((channel, index) => ({
    id: channelId(seeded.channelIds[index] ?? index + 1),
    models: channel.models.split(','),
    isOff: index === 1 && isSecondOff,
    rank: channel.priority * 100 + channel.weight,
  }))
  await bookPast(plans, {
    ...past,
    accounts,
    book: books.book(books.revisionAt(await store.headPosition())),
    channelsOf: (model) =>
      channels
        .filter(({ models, isOff }) => models.includes(model) && !isOff)
        .toSorted((a, b) => b.rank - a.rank)
        .map(({ id }) => id),
  })
}
