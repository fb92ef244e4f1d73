import { monthFrom, type Period } from '../../parts/range/months.ts'
import { boundsOf, rangeOf } from '../../parts/range/range.ts'
import { rangeSearchFields } from '../../parts/range/range-search.ts'
import {
  count,
  flag,
  oneOf,
  type Read,
  type Reader,
  readSearch,
  text,
} from '../../parts/search-params.ts'

/** How lines are gathered; the first is the default. */
export const GROUPS = ['day-model', 'none', 'day', 'month', 'token', 'model', 'source'] as const
export type Group = (typeof GROUPS)[number]

/** The terms of the sum that a statement proves. */
export const TERMS = ['credits', 'charges', 'refunds', 'deductions'] as const
export type Term = (typeof TERMS)[number]

const FIELDS = {
  ...rangeSearchFields,
  group: oneOf(GROUPS),
  term: oneOf(TERMS),
  token: count,
  model: text,
  holds: flag,
  user: count,
}

/** The statement's address: whose, which period, which lines. */
export type StatementSearch = Read<typeof FIELDS>

/** Reads the address; odd values are left out. */
export const parseStatementSearch = (raw: Record<string, unknown>): StatementSearch =>
  readSearch(raw, FIELDS, { group: 'day-model' })

/** The same of one's own: whose it is does not stand in the address. */
export const parseOwnStatementSearch = (raw: Record<string, unknown>): StatementSearch =>
  readSearch(raw, { ...FIELDS, user: nobody }, { group: 'day-model' })
const nobody: Reader<number> = () => undefined

const MINUTE = 60

/** The period of an address; without one, the calendar month of `nowSeconds` in the reader's zone. */
export function periodOf(search: StatementSearch, nowSeconds: number): Period {
  const range = rangeOf(search)
  if (range.type === 'all') return monthFrom(nowSeconds, 0)
  const { start = 0, end } = boundsOf(range, nowSeconds)
  // Up to now means the end of this minute, so that calls of one view are shared.
  const until = end ?? Math.ceil((nowSeconds + 1) / MINUTE) * MINUTE
  return { from: start * 1000, to: Math.max(until, start + 1) * 1000 }
}
