import { type CommonQueryMethods, sql } from 'slonik'
import { z } from 'zod'
import type { EntrySource } from '../journal/entry-facts.ts'
import { balancesAsOf } from '../journal/queries.ts'
import { isFiltered, type LineFilter, sourcesOf } from './line-filter.ts'
import { partAt, partsOf, type Period } from './period.ts'
import {
  eventsOf,
  type PostedEvent,
  type Positions,
  singleEventsOf,
  singlePlacesOf,
} from './postings.ts'
import { type Sum, type SumKey, sumsOf } from './sums.ts'

/**
 * How lines are gathered: by default the charges of a day and model are one, the refunds of a day, and all else is a line
 * of its own. Such a line parts the sums of its day, so that its balance is the one that the account had right after it.
 */
export const GROUPS = ['day-model', 'none', 'day', 'month', 'token', 'model', 'source'] as const
export type Group = (typeof GROUPS)[number]

/** Several events as one line. */
export interface SumLine {
  readonly type: 'sum'
  /** The part of the statement's period that it is of, in unix milliseconds. */
  readonly from: number
  readonly to: number
  /** '' and 0 where the line is not about one of them. */
  readonly source: EntrySource | ''
  readonly token_id: number
  readonly model: string
  readonly events: number
  readonly first_position: number
  readonly last_position: number
  readonly credit: number
  readonly debit: number
  /** The posted balance after it and all lines above; null where lines do not follow each other in time or are filtered. */
  readonly balance: number | null
}

export type StatementLine = ({ readonly type: 'event' } & PostedEvent) | SumLine

export interface WantedLines {
  readonly userId: number
  readonly period: Period
  readonly zone: string
  readonly group: Group
  readonly filter: LineFilter
  /** Single events only: the range of positions that they are from. */
  readonly positions?: Positions
  readonly withHolds: boolean
  /** The `next` of the page before; null = the first page. */
  readonly after: string | null
  readonly limit: number
}

export interface LinePage {
  readonly lines: readonly StatementLine[]
  /** Null on the last page. */
  readonly next: string | null
}

/** `after` was made for another grouping, or by nobody. */
export class InvalidCursor extends Error {
  override readonly name = 'InvalidCursor'
}

/** A page of lines in the order of time, or of their key where they are gathered by one. */
export function readLines(reads: CommonQueryMethods, wanted: WantedLines): Promise<LinePage> {
  switch (wanted.group) {
    case 'none':
      return eventLines(reads, wanted)
    case 'day-model':
    case 'day':
    case 'month':
      return linesInTime(reads, wanted)
    case 'token':
      return linesByKey(reads, wanted, 'token_id')
    case 'model':
    case 'source':
      return linesByKey(reads, wanted, wanted.group)
    default:
      return wanted.group satisfies never
  }
}

async function eventLines(reads: CommonQueryMethods, wanted: WantedLines): Promise<LinePage> {
  const { after: cursor, limit } = wanted
  const after = cursor === null ? null : placeOf(cursor)
  const events = await eventsOf(reads, { ...wanted, after, limit: limit + 1 }, wanted.withHolds)
  const lines = events.slice(0, limit)
  const last = lines.at(-1)
  const isLast = events.length <= limit || last === undefined
  return {
    lines: lines.map((event) => ({ type: 'event', ...event })),
    next: isLast ? null : `${last.effective_at}.${last.position}`,
  }
}

/** A place in time, as texts of `next` have it. */
function placeOf(cursor: string): { readonly at: number; readonly position: number } {
  const [, at, position] = /^(-?\d{1,15})\.(\d{1,15})$/.exec(cursor) ?? []
  if (at === undefined || position === undefined) throw new InvalidCursor(cursor)
  return { at: Number(at), position: Number(position) }
}

/** The key in a text of `next`: after a letter, so that no key reads as a place. */
const keyOf = (cursor: string): string => {
  if (!cursor.startsWith('k')) throw new InvalidCursor(cursor)
  return cursor.slice(1)
}

async function linesByKey(
  reads: CommonQueryMethods,
  { userId, period, filter, after, limit }: WantedLines,
  key: SumKey,
): Promise<LinePage> {
  const sums = await sumsOf(reads, { userId, period, starts: [period.from], keys: [key], filter })
  const nameOf = (sum: Sum): string =>
    key === 'token_id' ? String(sum.token_id).padStart(16, '0') : sum[key]
  const cursor = after === null ? null : keyOf(after)
  const rest = sums
    .map((sum) => ({ sum, name: nameOf(sum) }))
    .filter(({ name }) => cursor === null || name > cursor)
    .toSorted((one, other) => (one.name < other.name ? -1 : 1))
  const lines = rest.slice(0, limit)
  const last = lines.at(-1)
  return {
    lines: lines.map(({ sum }) => sumLine(sum, period, null)),
    next: rest.length > limit && last !== undefined ? `k${last.name}` : null,
  }
}

/** Days read at first; then as many as the rest of the page needs, at most twice as many. Longer than any month. */
const FIRST_DAYS = 32
const DAY_MS = 86_400_000
/** A month is one line: more of them are read at once. */
const MONTH_FACTOR = 12

/** Lines by day or month, with the balance that they add up to. */
async function linesInTime(reads: CommonQueryMethods, wanted: WantedLines): Promise<LinePage> {
  const { userId, period, zone, group, after, limit } = wanted
  const unit = group === 'month' ? 'month' : 'day'
  const cursor = after === null ? null : placeOf(after)
  const lines: Placed[] = []
  let days = FIRST_DAYS * (group === 'month' ? MONTH_FACTOR : 1)
  let from = Math.max(cursor?.at ?? period.from, period.from)
  let place = cursor
  while (lines.length <= limit && from < period.to) {
    const first = await firstPosting(reads, userId, { from, to: period.to })
    if (first === null) break
    const since = Math.max(from, first - FIRST_DAYS * DAY_MS)
    const until = Math.min(period.to, first + days * DAY_MS)
    const starts = partsOf({ from: since, to: until }, zone, unit)
    // Where the reading ends before the period, the part that it cuts is left for the next turn.
    const to = until < period.to ? (starts.at(-1) ?? until) : until
    const inside = starts.filter((start, index) => start < to && (starts[index + 1] ?? to) > first)
    const chunk = { from: inside[0] ?? since, to }
    const rest = limit + 1 - lines.length
    const found = await linesOfChunk(reads, wanted, {
      period: chunk,
      starts: inside,
      after: place,
      limit: rest,
    })
    lines.push(...found)
    from = to
    const needed = Math.ceil(((rest - found.length) * days) / Math.max(1, found.length))
    days = Math.min(days * 2, Math.max(FIRST_DAYS, needed))
    place = null
  }
  const shown = lines.slice(0, limit)
  const last = shown.at(-1)
  return {
    lines: shown.map(({ line }) => line),
    next: lines.length > limit && last !== undefined ? `${last.start}.${last.position}` : null,
  }
}

/** A line with its place: the beginning of its part, then its first event. */
interface Placed {
  readonly start: number
  readonly position: number
  readonly line: StatementLine
}

async function linesOfChunk(
  reads: CommonQueryMethods,
  { userId, group, filter }: WantedLines,
  {
    period,
    starts,
    after,
    limit,
  }: {
    readonly period: Period
    readonly starts: readonly number[]
    readonly after: { readonly at: number; readonly position: number } | null
    readonly limit: number
  },
): Promise<readonly Placed[]> {
  const isByModel = group === 'day-model'
  const { wallet, held } = await balancesAsOf(reads, userId, { before: period.from })
  const isWhole = !isFiltered(filter)
  const wanted = { userId, period, filter }
  const singles = isByModel ? await singlePlacesOf(reads, wanted) : []
  const shown = isByModel ? await singleEventsOf(reads, { ...wanted, after, limit }) : []
  const sums = await sumsOf(reads, {
    ...wanted,
    starts,
    ...(isByModel ? { keys: ['source', 'model'], sources: gatheredSources(filter) } : { keys: [] }),
    cuts: singles,
  })
  const parts = sums.map((sum): Placed => {
    const part = partAt(starts, sum.part, period)
    return { start: part.from, position: sum.first_position, line: sumLine(sum, part, null) }
  })
  const events = shown.map((event): Placed => {
    const start = starts.findLast((one) => one <= event.effective_at) ?? period.from
    return { start, position: event.position, line: { type: 'event', ...event } }
  })
  const passed = singles
    .filter(({ position }) => after !== null && position <= after.position)
    .reduce((sum, { change }) => sum + change, 0)
  const lines: Placed[] = []
  let balance = wallet + held + passed
  for (const placed of [...parts, ...events].toSorted(byPlace)) {
    const { line } = placed
    balance += line.type === 'sum' ? line.credit - line.debit : line.change
    if (after !== null && byPlace(placed, { start: after.at, position: after.position }) <= 0) {
      continue
    }
    if (!isWhole) lines.push(placed)
    else if (line.type === 'sum') lines.push({ ...placed, line: { ...line, balance } })
    else lines.push({ ...placed, line: { ...line, posted: balance } })
    if (lines.length >= limit) break
  }
  return lines
}

type Place = Pick<Placed, 'start' | 'position'>
const byPlace = (one: Place, other: Place): number =>
  one.start - other.start || one.position - other.position

/** Sources whose events are summed up by day and model. */
const gatheredSources = (filter: LineFilter): readonly EntrySource[] =>
  sourcesOf(filter, false).filter((source) => source === 'usage' || source === 'usage-refund')

const sumLine = (sum: Sum, part: Period, balance: number | null): SumLine => ({
  type: 'sum',
  ...part,
  source: sum.source,
  token_id: sum.token_id,
  model: sum.model,
  events: sum.events,
  first_position: sum.first_position,
  last_position: sum.last_position,
  credit: sum.credit,
  debit: sum.debit,
  balance,
})

/** The first moment of a period at which the account was posted to; null when it was not. */
const firstPosting = (
  reads: CommonQueryMethods,
  userId: number,
  { from, to }: Period,
): Promise<number | null> =>
  reads.maybeOneFirst(sql.type(z.object({ at: z.number() }))`
    select effective_at as at from journal.postings
    where user_id = ${userId} and effective_at >= ${from} and effective_at < ${to}
    order by effective_at, position, line limit 1`)
