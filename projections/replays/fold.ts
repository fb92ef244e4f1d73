import type { ColumnFilter, ColumnPage, EventTable } from '@tollgate/domain/event-columns.ts'
import type { Position } from '@tollgate/domain/event.ts'
import type { PriceBook } from '@tollgate/domain/pricing/price-book.ts'
import { bucketsOf } from './buckets.ts'
import type { Books } from './books.ts'
import { type Dimension, dimensionsOf, type ReplayDefinition, TOTAL } from './definition.ts'
import { addCharge, type CountedCharge, type Figures, noFigures } from './figures.ts'
import { chargeReader } from './counted-charges.ts'
import { filterOf } from './filters.ts'
import { datesOf, numbersOf, REPLAYED, REPLAYED_WITH_PRICES, wordsOf } from './replayed-events.ts'
import { ReplayKeys } from './replay-keys.ts'

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
  /** The events and members that pages are to have. */
  readonly wanted: ColumnFilter
  /** Takes the events of a page that stand at `first` or later, and not behind `last`. */
  take(page: ColumnPage, first: Position, last: Position): void
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
  const chargesOf = chargeReader(books, to)
  let sums = new Sums(definition.by)
  let charges = 0

  function takeTable(
    table: EventTable,
    page: ColumnPage,
    count: (sums: Sums, row: number) => void,
    { first, last }: { readonly first: Position; readonly last: Position },
  ): void {
    const { positions } = table
    const passes = filterOf(filters, table, page.words)
    const keysOf = keyReader(table, page.words)
    const dates = datesOf(table)
    for (let row = 0; row < dates.length; row += 1) {
      const at = dates[row] ?? NaN
      const position = positions[row] ?? -1
      if (at < from || at >= end || position < first || position > last || !passes(row)) continue
      sums.goTo(bucketOf(at), row, keysOf)
      count(sums, row)
    }
  }

  return {
    wanted: to === null ? REPLAYED : REPLAYED_WITH_PRICES,
    get size() {
      return sums.rows.length
    },
    take(page, first, last) {
      for (const table of page.tables) {
        if (table.type === 'UsageCharged') {
          const chargeAt = chargesOf(table, page.words)
          const count = (all: Sums, row: number): void => {
            charges += 1
            all.addCharge(chargeAt(row))
          }
          takeTable(table, page, count, { first, last })
        } else {
          const suppressed = numbersOf(table, 'suppressed')
          const count = (all: Sums, row: number): void =>
            all.addFailures(1 + (suppressed[row] ?? 0))
          takeTable(table, page, count, { first, last })
        }
      }
    },
    drain() {
      const drained = { rows: sums.rows, charges }
      sums = new Sums(definition.by)
      charges = 0
      return drained
    },
  }
}

/** Answers the key of a row's value of a dimension. */
type KeysOf = Readonly<Record<Dimension, (keys: ReplayKeys, row: number) => number>>

function keyReader(table: EventTable, words: readonly string[]): KeysOf {
  const isCharge = table.type === 'UsageCharged'
  const byNumber =
    (column: Float64Array) =>
    (keys: ReplayKeys, row: number): number =>
      keys.ofNumber(column[row] ?? NaN)
  const byWord =
    (column: Int32Array) =>
    (keys: ReplayKeys, row: number): number =>
      keys.ofWord(column[row] ?? -1, words)
  return {
    user: byNumber(isCharge ? table.streams : numbersOf(table, 'account')),
    group: byWord(wordsOf(table, isCharge ? 'request.group' : 'group')),
    token: byNumber(numbersOf(table, 'token')),
    model: byWord(wordsOf(table, isCharge ? 'request.model' : 'model')),
    channel: byNumber(numbersOf(table, isCharge ? 'request.channel' : 'channel')),
  }
}

/** Rows by their places: a whole number of bucket and keys, each of which is below `KEYS_MAX`. */
interface SumTable {
  readonly name: string
  readonly by: readonly Dimension[]
  readonly places: Map<number, ReplayRow>
}

/** Far more than rows in memory, and its cube is a safe integer. */
const KEYS_MAX = 2 ** 17

class Sums {
  readonly rows: ReplayRow[] = []
  readonly #tables: readonly SumTable[]
  readonly #keys: Readonly<Record<Dimension, ReplayKeys>> = {
    user: new ReplayKeys(),
    group: new ReplayKeys(),
    token: new ReplayKeys(),
    model: new ReplayKeys(),
    channel: new ReplayKeys(),
  }
  readonly #buckets = new ReplayKeys()
  /** The rows of the event at hand, one of each table. */
  readonly #current: ReplayRow[] = []

  constructor(by: ReplayDefinition['by']) {
    this.#tables = [TOTAL, ...by].map((name) => ({
      name,
      by: dimensionsOf(name),
      places: new Map(),
    }))
  }

  /** Makes the rows of an event's bucket and keys the current ones. */
  goTo(bucket: number, row: number, keysOf: KeysOf): void {
    const bucketKey = this.#buckets.ofNumber(bucket)
    for (const [index, { name, by, places }] of this.#tables.entries()) {
      const [first, second] = by
      const key = first === undefined ? 0 : keysOf[first](this.#keys[first], row)
      const key2 = second === undefined ? 0 : keysOf[second](this.#keys[second], row)
      const place = (bucketKey * KEYS_MAX + key) * KEYS_MAX + key2
      let found = places.get(place)
      if (found === undefined) {
        const text = (dimension: Dimension | undefined, one: number): string =>
          dimension === undefined ? '' : (this.#keys[dimension].texts[one] ?? '')
        found = {
          dimension: name,
          bucket,
          key: text(first, key),
          key2: text(second, key2),
          ...noFigures(),
        }
        places.set(place, found)
        this.rows.push(found)
      }
      this.#current[index] = found
    }
  }

  addCharge(charge: CountedCharge): void {
    for (const row of this.#current) addCharge(row, charge)
  }

  addFailures(failures: number): void {
    for (const row of this.#current) row.failures += failures
  }
}
