import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { get } from '../../core/api.ts'
import type { ListRows } from '../../parts/list/list-page.tsx'
import type { PricesSearch } from './filters.ts'

/** A revision of prices; times in unix milliseconds. Number 0, revision −1, are the defaults. */
export interface PriceRevision {
  readonly revision: number
  readonly number: number
  readonly status: 'planned' | 'in-force' | 'past' | 'withdrawn'
  readonly at: number | null
  readonly effective_at: number | null
  readonly in_force_at: number | null
  readonly until: number | null
  readonly withdrawn_at: number | null
  readonly withdrawn_by_name: string
  readonly user_id: number | null
  readonly username: string
  readonly note: string
  readonly keys: readonly string[]
  readonly entries: number
  readonly charges: number
  readonly quota: number
  /** All that it changes; not in lists. */
  readonly changes?: readonly PriceEntry[]
}

/** One price that a revision changes; null = no entry. */
export interface PriceEntry {
  readonly key: string
  readonly name: string
  readonly from: string | null
  readonly to: string | null
}

const PATH = '/api/ledger/prices'

interface RevisionPage {
  readonly items: readonly PriceRevision[]
  readonly in_force: number
  readonly next: number | null
}

/** One page of revisions, newest first. */
export function revisionsQuery(search: PricesSearch, pageSize: number) {
  return queryOptions<ListRows<PriceRevision>>({
    queryKey: ['prices', 'list', search.model, search.group, search.after, pageSize],
    queryFn: async ({ signal }) => {
      const { model, group, after } = search
      const query = { model, group, after, limit: pageSize }
      const { items, next } = await get<RevisionPage>(PATH, query, signal)
      return { items, next: next === null ? null : String(next) }
    },
    placeholderData: keepPreviousData,
  })
}

/** One revision by the position that charges name, with all that it changes. */
export function revisionQuery(revision: string | number) {
  return queryOptions<PriceRevision | null>({
    queryKey: ['prices', 'one', String(revision)],
    queryFn: ({ signal }) => get<PriceRevision>(`${PATH}/${revision}`, undefined, signal),
  })
}

/** A model's price from a moment on; amounts in quota as decimal texts, for a million tokens or a call. */
export interface PriceStep {
  readonly revision: number
  readonly number: number
  /** Unix milliseconds; null for the defaults. */
  readonly from: number | null
  readonly is_planned: boolean
  readonly input: string | null
  readonly output: string | null
  readonly call: string | null
  readonly factors: PriceFactors | null
}

/** Factors of the prices of tokens under terms of a request; decimal texts. */
export interface PriceFactors {
  readonly priority?: string
  readonly flex?: string
  readonly fast?: string
  readonly geo?: string
  /** Factors of prompts with more tokens than these. */
  readonly above?: { readonly tokens: number; readonly in: string; readonly out: string }
}

/** A model's price in a group through time. */
export const stepsQuery = (model: string, group: string) =>
  queryOptions({
    queryKey: ['prices', 'steps', model, group],
    queryFn: ({ signal }) =>
      get<{ readonly steps: readonly PriceStep[] }>(`${PATH}/steps`, { model, group }, signal),
    placeholderData: keepPreviousData,
  })
