import type { Query } from '../../core/api.ts'
import type { Filters, ListSearch } from '../../parts/list/filters.ts'
import { listSearchReader } from '../../parts/list/filters.ts'

/** As of when balances are listed: a moment, or a position of the log; neither = now. */
export const BALANCE_FILTERS = {
  moment: { kind: 'moment', label: 'audit.asOfMoment', help: 'audit.asOfMomentHelp' },
  position: { kind: 'count', label: 'audit.asOfPosition', help: 'audit.asOfPositionHelp' },
} as const satisfies Filters

/** The address of the list of balances. */
export type BalancesSearch = ListSearch<typeof BALANCE_FILTERS>

/** Reads the address; odd values are left out. */
export const parseBalancesSearch = listSearchReader(BALANCE_FILTERS)

/** As the API names it: a time in milliseconds. */
export const asOfQuery = ({ moment, position }: BalancesSearch): Query =>
  moment === undefined ? { position } : { at: moment * 1000 }

/** The address after one of the two was chosen: the other gives way. */
export function withOneAsOf(next: BalancesSearch, before: BalancesSearch): BalancesSearch {
  const { moment, position, ...kept } = next
  if (moment === undefined || position === undefined) return next
  return moment === before.moment ? { ...kept, position } : { ...kept, moment }
}
