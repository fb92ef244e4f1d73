import type { Position } from '../event.ts'
import { type PriceBook, priceBookFrom } from '../pricing/price-book.ts'
import { isPricingOption } from './catalogue.ts'
import type { SettingsEvent } from './events.ts'
import { evolvePrices } from './evolve-prices.ts'
import { optionsFrom, type OptionsView } from './options.ts'
import { inOrderOfEffect, optionChangesIn, rebased, withTexts } from './price-changes.ts'
import { NO_SETTINGS, type PlannedRevision, type PriceRevisions } from './state.ts'

/** An event of the stream `settings` and its place in the log. */
export type SettingsRecord = SettingsEvent & { readonly position: Position }

/** One revision of prices, as charges name it: by the position of its event. */
export interface KnownRevision {
  readonly number: number
  readonly event: SettingsRecord
  /** Position of the event with which it came into force; null = planned or withdrawn. */
  readonly inForceFrom: Position | null
}

/** All revisions of prices and the books that they made, from the settings' events. */
export interface PriceHistory {
  /** Null for −1, the defaults, and for a position at which no revision was made. */
  revision(position: Position): KnownRevision | null
  /** The revision in force after an event, by the log; −1 = the defaults. */
  revisionAt(position: Position): Position
  optionsAt(position: Position): OptionsView
  /** The book of a revision. One that is not in force lies over the prices in force at its withdrawal, or now. */
  book(revision: Position): PriceBook
}

/** Options that a book is made of besides those that make a revision. */
const IN_BOOKS: ReadonlySet<string> = new Set(['SelfUseModeEnabled', 'PreConsumedQuota'])
/** Books in memory at once; each is a few hundred texts. */
const BOOKS_MAX = 200

interface Step {
  readonly position: Position
  readonly options: OptionsView
  readonly revision: Position
}

/** Folds the events of `settings`, in the log's order. */
export function priceHistory(events: Iterable<SettingsRecord>): PriceHistory {
  const steps: Step[] = [{ position: -1, options: optionsFrom([]), revision: -1 }]
  const revisions = new Map<Position, KnownRevision>()
  const byNumber = new Map<number, Position>()
  /** Options of revisions that never came into force, or have not yet. */
  const besides = new Map<Position, OptionsView>()
  let prices: PriceRevisions = NO_SETTINGS.prices
  for (const event of events) {
    const last = lastOf(steps)
    const before = prices
    prices = evolvePrices(prices, event)
    if (prices.newest > before.newest) {
      byNumber.set(prices.newest, event.position)
      const inForceFrom = prices.inForce === before.inForce ? null : event.position
      revisions.set(event.position, { number: prices.newest, event, inForceFrom })
    } else if (event.type === 'PriceRevisionTookEffect') {
      const revision = byNumber.get(event.data.number)
      const known = revision === undefined ? undefined : revisions.get(revision)
      if (known !== undefined) {
        revisions.set(known.event.position, { ...known, inForceFrom: event.position })
      }
    } else if (event.type === 'PriceRevisionWithdrawn') {
      const revision = byNumber.get(event.data.number)
      const options = laidOver(last.options, before.planned, event.data.number)
      if (revision !== undefined) besides.set(revision, options)
    }
    const texts = optionChangesIn(event).flatMap(({ key, value }) =>
      value !== null && (isPricingOption(key) || IN_BOOKS.has(key)) ? [{ key, value }] : [],
    )
    const revision = byNumber.get(prices.inForce) ?? -1
    if (texts.length === 0 && revision === last.revision) continue
    steps.push({ position: event.position, options: withTexts(last.options, texts), revision })
  }
  const at = (position: Position): Step =>
    steps.findLast((step) => step.position <= position) ?? lastOf(steps)
  for (const { number } of prices.planned) {
    const revision = byNumber.get(number)
    if (revision === undefined) continue
    besides.set(revision, laidOver(lastOf(steps).options, prices.planned, number))
  }
  const books = new Map<Position, PriceBook>()
  const optionsOf = (revision: Position): OptionsView =>
    besides.get(revision) ?? at(revisions.get(revision)?.inForceFrom ?? revision).options
  return {
    revision: (position) => revisions.get(position) ?? null,
    revisionAt: (position) => at(position).revision,
    optionsAt: (position) => at(position).options,
    book(revision) {
      const known = books.get(revision)
      if (known !== undefined) return known
      if (books.size >= BOOKS_MAX) books.clear()
      const made = priceBookFrom(optionsOf(revision), revision)
      books.set(revision, made)
      return made
    },
  }
}

/** Present options with planned revisions in force up to and with the one of a number. */
function laidOver(
  present: OptionsView,
  planned: readonly PlannedRevision[],
  number: number,
): OptionsView {
  let options = present
  for (const plan of inOrderOfEffect(planned)) {
    options = withTexts(options, rebased(plan.changes, options))
    if (plan.number === number) break
  }
  return options
}

function lastOf(steps: readonly Step[]): Step {
  const last = steps.at(-1)
  if (last === undefined) throw new TypeError('a price history begins with the defaults')
  return last
}
