import type { Filters, ListSearch } from '../../parts/list/filters.ts'
import { listSearchReader } from '../../parts/list/filters.ts'

/** The filters of codes (seeds, section 2). */
export const REDEMPTION_FILTERS = {
  keyword: { kind: 'text', label: 'redemptions.keyword' },
  code: { kind: 'text', label: 'redemptions.code' },
  user: { kind: 'userId', label: 'redemptions.usedBy', api: 'user_id' },
} as const satisfies Filters

/** The address of the list of codes. */
export type RedemptionSearch = ListSearch<typeof REDEMPTION_FILTERS>

/** Reads the address; odd values are left out. */
export const parseRedemptionSearch = listSearchReader(REDEMPTION_FILTERS)
