import type { UsageCharged } from '@tollgate/domain/account/events.ts'
import { numberOfStream } from '@tollgate/domain/event.ts'
import type { PriceBook } from '@tollgate/domain/pricing/price-book.ts'
import type { Price } from '@tollgate/domain/pricing/price.ts'
import { exactAsCharged, reprice } from '@tollgate/domain/pricing/reprice.ts'
import { ZERO } from '@tollgate/domain/pricing/ratio.ts'
import { keyText } from '../runner/columns.ts'
import type { Recorded, RequestFailed } from '../runner/projected-events.ts'
import { bucketsOf } from './buckets.ts'
import type { Books } from './books.ts'
import {
  type Dimension,
  dimensionsOf,
  type ReplayDefinition,
  type ReplayFilters,
  TOTAL,
} from './definition.ts'
import { sharedPrices } from './shared-prices.ts'
import { addCharge, type CountedCharge, type Figures, noFigures } from './figures.ts'

/** The events that a replay is made of, and the streams that they are in. */
export const REPLAYED_TYPES = ['UsageCharged', 'RequestFailed'] as const
export const REPLAYED_STREAMS = ['account-', 'relay-failures-'] as const
export type ReplayedEvent = Recorded<UsageCharged | RequestFailed>

/** One row of a result, as it will be added to its table. */
export interface ReplayRow extends Figures {
  readonly dimension: string
  /** Beginning of the bucket, unix milliseconds. */
  readonly bucket: number
  /** Value of the table's dimension; '' where it has none. The second is a pair's. */
  readonly key: string
  readonly key2: string
}

/** Sums events into rows in memory, until they are drained into a table. */
export interface ReplayFold {
  take(event: ReplayedEvent): void
  /** Rows in memory. */
  readonly size: number
  /** Charges that were taken since the last drain. */
  drain(): { readonly rows: readonly ReplayRow[]; readonly charges: number }
}

/** `to` prices each charge anew; null = as charged. */
export function replayFold(
  definition: ReplayDefinition,
  books: Pick<Books, 'book'>,
  to: PriceBook | null,
): ReplayFold {
  const { from, to: end, filters } = definition
  const bucketOf = bucketsOf(definition.bucket, definition.zone)
  const tables = [TOTAL, ...definition.by].map((name) => ({ name, by: dimensionsOf(name) }))
  const passes = filterOf(filters)
  const shared = sharedPrices()
  let rows = new Map<string, ReplayRow>()
  let charges = 0

  function each(at: number, facts: Facts, add: (row: Figures) => void): void {
    const bucket = bucketOf(at)
    for (const { name, by } of tables) {
      const [first, second] = by
      const key = first === undefined ? '' : facts[first]
      const key2 = second === undefined ? '' : facts[second]
      const place = `${name} ${bucket} ${key}\u0000${key2}`
      let row = rows.get(place)
      if (row === undefined) {
        row = { dimension: name, bucket, key, key2, ...noFigures() }
        rows.set(place, row)
      }
      add(row)
    }
  }

  return {
    get size() {
      return rows.size
    },
    take(event) {
      const { at } = event.data
      if (at < from || at >= end) return
      const facts = factsOf(event)
      if (!passes(event, facts)) return
      if (event.type === 'RequestFailed') {
        const failures = 1 + event.data.suppressed
        each(at, facts, (row) => {
          row.failures += failures
        })
        return
      }
      charges += 1
      const charge = pricedBy(event.data, { books, to, shared })
      each(at, facts, (row) => addCharge(row, charge))
    },
    drain() {
      const drained = { rows: [...rows.values()], charges }
      rows = new Map()
      charges = 0
      return drained
    },
  }
}

interface Pricing {
  readonly books: Pick<Books, 'book'>
  readonly to: PriceBook | null
  readonly shared: (price: Price) => Price
}

function pricedBy(
  { amount, request }: UsageCharged['data'],
  { books, to, shared }: Pricing,
): CountedCharge {
  const { usage, durationMs, firstByteMs, price } = request
  const common = { quota: amount, usage, durationMs, firstByteMs }
  if (to === null) {
    return { ...common, repriced: amount, isUnpriced: false, exact: ZERO, exactRepriced: ZERO }
  }
  const past = { ...request, amount, price: shared(price) }
  const found = reprice(past, books.book(price.bookRevision), to)
  return {
    ...common,
    repriced: found.amount,
    isUnpriced: found.status === 'unpriced',
    exact: exactAsCharged(past),
    exactRepriced: found.exact,
  }
}

/** An event's value of each dimension, as keys: ids in decimal, '0' for none. */
type Facts = Readonly<Record<Dimension, string>>

function factsOf(event: ReplayedEvent): Facts {
  if (event.type === 'RequestFailed') {
    const { account, group, token, model, channel } = event.data
    return {
      user: String(account),
      group: keyText(group),
      token: String(token ?? 0),
      model: keyText(model),
      channel: String(channel ?? 0),
    }
  }
  const { token, request } = event.data
  return {
    user: String(numberOfStream(event.stream)),
    group: keyText(request.group),
    token: String(token ?? 0),
    model: keyText(request.model),
    channel: String(request.channel),
  }
}

function filterOf(filters: ReplayFilters): (event: ReplayedEvent, facts: Facts) => boolean {
  const lists = (
    [
      ['user', filters.users],
      ['group', filters.groups],
      ['token', filters.tokens],
      ['model', filters.models],
      ['channel', filters.channels],
    ] as const
  ).flatMap(([name, values]) =>
    values === undefined
      ? []
      : [{ name, values: new Set(values.map((one) => keyText(String(one)))) }],
  )
  const { stream, estimated, cancelled, late } = filters
  const endpoints = filters.endpoints === undefined ? null : new Set(filters.endpoints)
  const wantsCharges = [endpoints ?? undefined, estimated, cancelled, late].some(
    (one) => one !== undefined,
  )
  const is = (wanted: boolean | undefined, found: boolean): boolean =>
    wanted === undefined || wanted === found
  return (event, facts) => {
    if (!lists.every(({ name, values }) => values.has(facts[name]))) return false
    if (event.type === 'RequestFailed') return !wantsCharges && is(stream, event.data.stream)
    const { request } = event.data
    return (
      (endpoints === null || endpoints.has(request.endpoint)) &&
      is(stream, request.stream) &&
      is(estimated, request.estimated) &&
      is(cancelled, request.cancelled) &&
      is(late, event.data.late)
    )
  }
}
