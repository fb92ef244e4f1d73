import type { Filters, ListSearch } from '../../parts/list/filters.ts'
import { listSearchReader } from '../../parts/list/filters.ts'

/** The filters of users (seeds, section 2); the numbers mean "at least". */
export const USER_FILTERS = {
  keyword: { kind: 'text', label: 'users.keyword' },
  requests: { kind: 'count', label: 'users.requestsAtLeast', api: 'request_count' },
  quota: { kind: 'amount', label: 'users.balanceAtLeast' },
  group: { kind: 'group', label: 'user.group' },
} as const satisfies Filters

/** The address of the list of users. */
export type UserSearch = ListSearch<typeof USER_FILTERS>

/** Reads the address; odd values are left out. */
export const parseUserSearch = listSearchReader(USER_FILTERS)
