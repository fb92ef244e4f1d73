import type { UsageCharged } from '@tollgate/domain/account/events.ts'
import { type RecordedEvent, SETTINGS_STREAM } from '@tollgate/domain/event.ts'
import type { EventStore } from '@tollgate/domain/ports/event-store.ts'
import { amountOf, priceAsUsed } from '@tollgate/domain/pricing/charge.ts'
import { findPrice } from '@tollgate/domain/pricing/price-book.ts'
import { underTermsOf } from '@tollgate/domain/pricing/price-factors.ts'
import { searchContextOf } from '@tollgate/domain/pricing/reprice.ts'
import type { Price } from '@tollgate/domain/pricing/price.ts'
import type { Usage } from '@tollgate/domain/pricing/usage.ts'
import { isSettingsEvent, type SettingsEvent } from '@tollgate/domain/settings/events.ts'
import {
  type KnownRevision,
  type PriceHistory,
  priceHistory,
  type SettingsRecord,
} from '@tollgate/domain/settings/price-history.ts'
import { countedMembers } from './counted-members.ts'

/** A charge recalculated in three steps, each beside the ledger's own figures. */
export interface Recalculation {
  /**
   * From upstream's own usage object; null where it gave none that was kept whole, or usage was counted here. Equal when
   * the tokens are: searches stand in the answer, which is not kept.
   */
  readonly usage: {
    readonly recalculated: Usage | null
    readonly charged: Usage
    readonly isEqual: boolean | null
    /** The members of upstream's usage object that the counts come from. */
    readonly counted: readonly string[]
  }
  /** From the settings' events up to the price book's revision; null where they give no price. */
  readonly price: {
    readonly recalculated: Price | null
    readonly charged: Price
    readonly isEqual: boolean
  }
  /** From the charged usage and price by the domain's function. */
  readonly amount: {
    readonly recalculated: number
    readonly charged: number
    readonly isEqual: boolean
  }
  /** The revision of prices in force; null where prices stood at their defaults. */
  readonly setBy: (KnownRevision & { readonly event: RecordedEvent & SettingsEvent }) | null
}

/**
 * Repeats a charge from its sources. `usageIn` reads upstream's usage object as JSON as the relay does, but for quirks
 * of single channels. Fails with StoreUnavailable.
 */
export async function recalculateCharge(
  store: Pick<EventStore, 'readStream'>,
  { data }: Pick<UsageCharged, 'data'>,
  usageIn: (json: string) => Usage | null,
): Promise<Recalculation> {
  const { request } = data
  const { upstream, usage, price, model, group } = request
  const isKept = upstream.usage !== null && !upstream.isUsageCut && !request.estimated
  const reported = isKept ? usageIn(upstream.usage) : null
  const history = await readHistory(store)
  const book = history.book(price.bookRevision)
  const answer = findPrice(book, {
    model,
    group,
    // A request that was charged had been accepted.
    acceptsUnsetRatio: true,
    webSearchContext: searchContextOf(price, model, book),
  })
  const found =
    answer.status === 'priced'
      ? priceAsUsed(underTermsOf(price, answer.price, answer.price)(usage), usage)
      : null
  const recalculated = amountOf(price, usage)
  return {
    usage: {
      recalculated: reported,
      charged: usage,
      isEqual: reported === null ? null : isSame(tokensOf(reported), tokensOf(usage)),
      counted:
        reported === null || upstream.usage === null ? [] : countedMembers(upstream.usage, usageIn),
    },
    price: {
      recalculated: found,
      charged: price,
      isEqual: found !== null && isSame(found, priceAsUsed(price, usage)),
    },
    amount: { recalculated, charged: data.amount, isEqual: recalculated === data.amount },
    setBy: history.revision(price.bookRevision) as Recalculation['setBy'],
  }
}

async function readHistory(store: Pick<EventStore, 'readStream'>): Promise<PriceHistory> {
  const events: SettingsRecord[] = []
  for await (const event of store.readStream(SETTINGS_STREAM)) {
    if (isSettingsEvent(event)) events.push(event)
  }
  return priceHistory(events)
}

/** Counts of tokens above zero. */
const tokensOf = ({ webSearchCalls: _web, fileSearchCalls: _files, ...tokens }: Usage): object =>
  Object.fromEntries(Object.entries(tokens).filter(([, count]) => count !== 0))

/** Whether two flat objects have the same members, in whatever order. */
const isSame = (one: object, other: object): boolean => textOf(one) === textOf(other)
const textOf = (flat: object): string =>
  JSON.stringify(Object.entries(flat).toSorted(([a], [b]) => a.localeCompare(b)))
