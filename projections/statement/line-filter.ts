import { type ListSqlToken, type FragmentSqlToken, sql } from 'slonik'
import type { EntrySource } from '../journal/entry-facts.ts'

/** The terms of the sum that proves a statement: opening + credits − charges + refunds − deductions = closing. */
export const TERMS = ['credits', 'charges', 'refunds', 'deductions'] as const
export type Term = (typeof TERMS)[number]

/** Which term each source belongs to; null where the posted balance stays as it is. */
export const TERM_OF: Readonly<Record<EntrySource, Term | null>> = {
  'sign-up': 'credits',
  invitation: 'credits',
  redemption: 'credits',
  'top-up': 'credits',
  grant: 'credits',
  refund: 'credits',
  'affiliate-transfer': 'credits',
  usage: 'charges',
  'usage-refund': 'refunds',
  adjustment: 'deductions',
  hold: null,
  'affiliate-reward': null,
}

export const SOURCES = Object.keys(TERM_OF) as EntrySource[]

/** Conditions of a line; null = anything. */
export interface LineFilter {
  readonly term: Term | null
  readonly source: EntrySource | null
  readonly tokenId: number | null
  readonly model: string | null
}

export const isFiltered = ({ term, source, tokenId, model }: LineFilter): boolean =>
  term !== null || source !== null || tokenId !== null || model !== null

/** Sources of lines of a statement under a filter, with or without those that only set quota aside. */
export const sourcesOf = (
  { term, source }: LineFilter,
  withHolds: boolean,
): readonly EntrySource[] =>
  SOURCES.filter(
    (one) =>
      (source === null || one === source) &&
      (term === null
        ? TERM_OF[one] !== null || (withHolds && one === 'hold')
        : TERM_OF[one] === term),
  )

/** The filter over `source`, `token_id` and `model` as SQL. */
export const filterSql = (
  { tokenId, model }: LineFilter,
  sources: readonly EntrySource[],
): FragmentSqlToken | ListSqlToken =>
  sql.and([
    sql.fragment`source = any(${sql.array(sources, 'text')})`,
    tokenId !== null && sql.fragment`token_id = ${tokenId}`,
    model !== null && sql.fragment`model = ${model}`,
  ])
