import type { UsageCharged } from '@tollgate/domain/account/events.ts'
import { type BareEvent, numberOfStream, type Position } from '@tollgate/domain/event.ts'
import type { EventStore } from '@tollgate/domain/ports/event-store.ts'
import type { PriceBook } from '@tollgate/domain/pricing/price-book.ts'
import { reprice } from '@tollgate/domain/pricing/reprice.ts'
import type { PriceHistory } from '@tollgate/domain/settings/price-history.ts'
import { type CommonQueryMethods, sql } from 'slonik'
import { z } from 'zod'
import { eventsOfTypes } from '../runner/projected-events.ts'
import { zoneDays } from '../zones/zone-days.ts'

/** The quota that charges came to and would have come to. */
export interface Effect {
  readonly charges: number
  readonly quota: number
  readonly repriced: number
  /** Charges that the other book cannot price: they count as they were charged. */
  readonly unpriced: number
}

export interface PreviewedEffect {
  /** The sums are of charges from this moment on, unix milliseconds. */
  readonly from: number
  /** False where the time asked for had more charges than are looked at: the newest are. */
  readonly isComplete: boolean
  readonly total: Effect
  /** Sums over the charges dated on the day. */
  readonly yesterday: Effect
  readonly models: ReadonlyMap<string, Effect>
  readonly users: ReadonlyMap<number, Effect>
}

/** Postings of charges, one or two each: half a second of pricing, in pieces. */
const CHARGES_MAX = 50_000
/** Events between which others get their turn: about 10 ms. */
const PAGE_EVENTS = 1_000
const CHARGED = ['UsageCharged'] as const
const STREAMS = { streamPrefixes: ['account-'] }

/** A day that has ended: unix milliseconds, `[from, to)`. */
export interface Day {
  readonly from: number
  readonly to: number
}

/** The last whole day of a zone. */
export function yesterdayIn(zone: string, now: number): Day {
  const { dayOf, startOf } = zoneDays(zone)
  const today = dayOf(now)
  return { from: startOf(today - 1), to: startOf(today) }
}

/** A draft of prices, and the charges that it is held against. */
export interface Preview {
  readonly history: PriceHistory
  readonly book: PriceBook
  readonly sinceMs: number
  readonly day: Day
}

/**
 * The quota that recent charges, at most CHARGES_MAX of them, would have cost at a book. Fails with StoreUnavailable.
 */
export async function previewEffect(
  deps: { readonly reads: CommonQueryMethods; readonly store: EventStore },
  { history, book, sinceMs, day }: Preview,
): Promise<PreviewedEffect> {
  const { store } = deps
  const start = await startOf(deps.reads, sinceMs)
  const head = await store.headPosition()
  const models = new Map<string, Effect>()
  const users = new Map<number, Effect>()
  let total = NOTHING
  let yesterday = NOTHING
  for (let position = start.position - 1; start.charges > 0 && position < head;) {
    const page = await readPage(store, position)
    for (const event of eventsOfTypes<'UsageCharged'>(page, new Set(CHARGED))) {
      if (event.data.at < start.from) continue
      const one = effectOf(event.data, history, book)
      const user = numberOfStream(event.stream)
      const { model } = event.data.request
      total = added(total, one)
      if (event.data.at >= day.from && event.data.at < day.to) yesterday = added(yesterday, one)
      models.set(model, added(models.get(model), one))
      users.set(user, added(users.get(user), one))
    }
    if (page.length < PAGE_EVENTS) break
    position = page.at(-1)?.position ?? head
  }
  const isComplete = start.charges < CHARGES_MAX
  return { from: isComplete ? sinceMs : start.from, isComplete, total, yesterday, models, users }
}

const newestCharges = z.object({
  position: z.number().nullable(),
  charges: z.number(),
  from: z.number(),
})

/** Where the newest charges begin, by the journal. */
async function startOf(
  reads: CommonQueryMethods,
  sinceMs: number,
): Promise<{ readonly position: Position; readonly charges: number; readonly from: number }> {
  const newest = await reads.one(sql.type(newestCharges)`
    select min(position) as position, count(*) as charges, coalesce(min(effective_at), 0)::bigint as from
    from (select position, effective_at from journal.postings
          where event_type = 'UsageCharged' and effective_at >= ${sinceMs}
          order by position desc limit ${CHARGES_MAX}) newest`)
  return { ...newest, position: newest.position ?? 0 }
}

function readPage(store: EventStore, after: Position): Promise<readonly BareEvent[]> {
  return store.readBare === undefined
    ? store.readAll(after, STREAMS, PAGE_EVENTS)
    : store.readBare(after, { ...STREAMS, types: CHARGED }, PAGE_EVENTS)
}

function effectOf(
  { amount, request }: UsageCharged['data'],
  history: PriceHistory,
  book: PriceBook,
): Effect {
  const from = history.book(request.price.bookRevision)
  const found = reprice({ ...request, amount }, from, book)
  const unpriced = found.status === 'unpriced' ? 1 : 0
  return { charges: 1, quota: amount, repriced: found.amount, unpriced }
}

const NOTHING: Effect = { charges: 0, quota: 0, repriced: 0, unpriced: 0 }

const added = (to: Effect = NOTHING, one: Effect): Effect => ({
  charges: to.charges + one.charges,
  quota: to.quota + one.quota,
  repriced: to.repriced + one.repriced,
  unpriced: to.unpriced + one.unpriced,
})
