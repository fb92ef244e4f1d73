import { useCallback } from 'react'
import { useTranslation } from 'react-i18next'
import { withThousandsApart } from '../../core/thousands.ts'
import { ExportButton } from '../../parts/export-button.tsx'
import { Facts } from '../../parts/facts.tsx'
import { Id } from '../../parts/id.tsx'
import { LedgerLinks } from '../../parts/ledger-links.tsx'
import { filtered } from '../../parts/list/filters.ts'
import { ListPage } from '../../parts/list/list-page.tsx'
import { Money } from '../../parts/money.tsx'
import { creditsFrom, StatementLink } from '../../parts/statement-link.tsx'
import { Time } from '../../parts/time.tsx'
import { useLatest } from '../../parts/use-latest.ts'
import { Method, OrderTag, useOrderColumns } from './columns.tsx'
import type { OrderSearch } from './filters.ts'
import { ORDER_FILTERS } from './filters.ts'
import type { Order } from './queries.ts'
import { orderQuery, ordersAt, ordersQuery } from './queries.ts'

/** All online top-ups: what was ordered at which price, whether it was paid, and the credit that came of it. */
export function Orders(props: { search: OrderSearch; onSearch: (search: OrderSearch) => void }) {
  const { t } = useTranslation()
  const { search, onSearch } = props
  const latestRef = useLatest(props)
  const filterBy = useCallback(
    (change: Partial<OrderSearch>) =>
      latestRef.current.onSearch(filtered(latestRef.current.search, change)),
    [latestRef],
  )
  const columns = useOrderColumns(filterBy)
  return (
    <ListPage
      name="orders"
      title={t('place.orders')}
      actions={<ExportButton name="orders" list={() => ordersAt(search)} />}
      filters={ORDER_FILTERS}
      search={search}
      onSearch={onSearch}
      columns={columns}
      columnsKey="orders-table-columns"
      query={(pageSize) => ordersQuery(search, pageSize)}
      rowId={(order) => order.trade_no}
      empty={{
        title: t('orders.emptyTitle'),
        detail: t('orders.emptyDetail'),
        noneFound: t('orders.noneFound'),
      }}
      peek={{
        title: (order) => t('orders.yuan', { money: order.money }),
        render: (order) => <OrderFacts order={order} />,
        find: orderQuery,
      }}
    />
  )
}

/** One order with all that its price was made of, its payments and its events. */
function OrderFacts({ order }: { order: Order }) {
  const { t } = useTranslation()
  const copy = t('orders.copyNumber')
  return (
    <Facts
      facts={[
        { label: t('orders.number'), value: <Id value={order.trade_no} label={copy} /> },
        { label: t('orders.status'), value: <OrderTag status={order.status} /> },
        { label: t('orders.user'), value: `${order.user_id} ${order.username}`.trim() },
        {
          label: t('orders.quota'),
          value:
            order.status === 'paid' ? (
              <StatementLink user={order.user_id} part={creditsFrom(order.paid_time)}>
                <Money value={order.quota} />
              </StatementLink>
            ) : (
              <Money value={order.quota} />
            ),
        },
        { label: t('orders.price'), value: order.money },
        {
          label: t('orders.bought'),
          value: t(order.unit === 'usd' ? 'orders.unit_usd' : 'orders.unit_quota', {
            amount: order.amount,
          }),
        },
        { label: t('orders.unitPrice'), value: t('orders.yuan', { money: order.price }) },
        { label: t('orders.group'), value: order.group },
        { label: t('orders.groupRatio'), value: order.group_ratio },
        { label: t('orders.quotaPerUnit'), value: withThousandsApart(order.quota_per_unit) },
        { label: t('orders.method'), value: <Method order={order} /> },
        { label: t('orders.ordered'), value: <Time seconds={order.create_time} /> },
        {
          label: t('orders.paid'),
          value: order.paid_time > 0 ? <Time seconds={order.paid_time} /> : null,
        },
        {
          label: t('orders.abandoned'),
          value: order.abandoned_time > 0 ? <Time seconds={order.abandoned_time} /> : null,
        },
        {
          label: t('orders.gateway'),
          value: order.gateway_trade_no ? <Id value={order.gateway_trade_no} label={copy} /> : null,
        },
        {
          label: t('orders.further'),
          value:
            order.further_payments.length > 0 &&
            order.further_payments.map(({ gateway_trade_no: number, money }) => (
              <div key={number}>{t('orders.furtherOf', { money, number })}</div>
            )),
        },
        { label: t('ledger.label'), value: <LedgerLinks stream={`topup-${order.trade_no}`} /> },
      ]}
    />
  )
}
