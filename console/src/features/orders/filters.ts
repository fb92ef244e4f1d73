import type { Filters, ListSearch } from '../../parts/list/filters.ts'
import { listSearchReader } from '../../parts/list/filters.ts'

/** The states of an order. */
export const ORDER_STATUSES = ['pending', 'paid', 'abandoned'] as const
export type OrderStatus = (typeof ORDER_STATUSES)[number]

/** The filters of orders; the time is when one was made. */
export const ORDER_FILTERS = {
  range: { kind: 'range', label: 'orders.ordered' },
  status: {
    kind: 'one',
    label: 'orders.status',
    options: [
      { value: '', label: 'orders.allStatuses' },
      ...ORDER_STATUSES.map(
        (status) => ({ value: status, label: `orders.status_${status}` }) as const,
      ),
    ],
  },
  user: { kind: 'userId', label: 'orders.user', api: 'user_id' },
  number: { kind: 'words', label: 'orders.number', help: 'orders.numberHelp', api: 'trade_no' },
} as const satisfies Filters

/** The address of the list of orders. */
export type OrderSearch = ListSearch<typeof ORDER_FILTERS>

/** Reads the address; odd values are left out. */
export const parseOrderSearch = listSearchReader(ORDER_FILTERS)
