import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import { Filtering } from '../../parts/filtering.tsx'
import { Id } from '../../parts/id.tsx'
import { QuotaCell, useUnitName } from '../../parts/quota.tsx'
import { creditsFrom, StatementLink } from '../../parts/statement-link.tsx'
import { columnHelper, TIME_WIDTH } from '../../parts/table/table-features.ts'
import { Tag } from '../../parts/tag.tsx'
import { Time } from '../../parts/time.tsx'
import type { OrderSearch, OrderStatus } from './filters.ts'
import type { Order } from './queries.ts'

type FilterBy = (change: Partial<OrderSearch>) => void
const column = columnHelper<Order>()
const TONES = { pending: 'warning', paid: 'good', abandoned: 'neutral' } as const

/** The columns of orders; a click on a value hands `filterBy` the filter that it stands for. */
export function useOrderColumns(filterBy: FilterBy) {
  const { t } = useTranslation()
  const unit = useUnitName()
  return useMemo(
    () =>
      column.columns([
        column.accessor('create_time', {
          header: t('orders.ordered'),
          meta: { width: TIME_WIDTH, phone: 'meta' },
          cell: ({ row }) => <Time seconds={row.original.create_time} />,
        }),
        column.accessor('username', {
          header: t('orders.user'),
          meta: { width: 112, share: 1, phone: 'meta' },
          cell: ({ row: { original: order } }) => (
            <Filtering
              value={`${order.user_id} ${order.username}`.trim()}
              onChoose={() => filterBy({ user: order.user_id })}
            />
          ),
        }),
        column.accessor('status', {
          header: t('orders.status'),
          meta: { width: 132, phone: 'title' },
          cell: ({ row: { original: order } }) => <OrderTag status={order.status} />,
        }),
        column.accessor('money', {
          header: t('orders.price'),
          meta: { width: 100, align: 'end' },
        }),
        column.accessor('quota', {
          header: t('orders.quotaIn', { unit }),
          meta: { width: 116, align: 'end', phone: 'value' },
          cell: ({ row }) => <Credited order={row.original} />,
        }),
        column.accessor('payment_method', {
          header: t('orders.method'),
          meta: { width: 104 },
          cell: ({ row }) => <Method order={row.original} />,
        }),
        column.accessor('paid_time', {
          header: t('orders.paid'),
          meta: { width: TIME_WIDTH },
          cell: ({ row }) => <Time seconds={row.original.paid_time} />,
        }),
        column.accessor('trade_no', {
          header: t('orders.number'),
          meta: { width: 200, share: 2 },
          cell: ({ row }) => <Id value={row.original.trade_no} label={t('orders.copyNumber')} />,
        }),
      ]),
    [t, unit, filterBy],
  )
}

/** How far an order is. */
export function OrderTag({ status }: { status: OrderStatus }) {
  const { t } = useTranslation()
  return <Tag tone={TONES[status]}>{t(`orders.status_${status}`)}</Tag>
}

/** How it is paid. */
export function Method({ order }: { order: Order }) {
  const { t } = useTranslation()
  return t(order.payment_method === 'wx' ? 'orders.wx' : 'orders.zfb')
}

/** An order's quota; once it is paid, it opens the credits of that day. */
function Credited({ order }: { order: Order }) {
  return order.status === 'paid' ? (
    <StatementLink user={order.user_id} part={creditsFrom(order.paid_time)}>
      <QuotaCell value={order.quota} />
    </StatementLink>
  ) : (
    <QuotaCell value={order.quota} />
  )
}
