import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { useTranslation } from 'react-i18next'
import { selfQuery, useStatus } from '../../core/status.ts'
import { ExportButton } from '../../parts/export-button.tsx'
import { Id } from '../../parts/id.tsx'
import { Money } from '../../parts/money.tsx'
import { creditsFrom, StatementLink } from '../../parts/statement-link.tsx'
import { Tag } from '../../parts/tag.tsx'
import { Time } from '../../parts/time.tsx'
import { Card } from '../../parts/card.tsx'
import type { HistoryEntry } from './history.tsx'
import { History } from './history.tsx'
import type { Order } from './queries.ts'
import { ordersAt, ordersQuery } from './queries.ts'

const TONES = { pending: 'warning', paid: 'good', abandoned: 'neutral' } as const

/**
 * The own online top-ups with their state. The balance is read again when one has been paid. Nothing where there are
 * none, and none can be made.
 */
export function Orders() {
  const { t } = useTranslation()
  const client = useQueryClient()
  const query = useInfiniteQuery(ordersQuery)
  const isOff = useStatus()?.enable_online_topup === false
  const orders = query.data?.pages.flatMap((page) => page.items) ?? []
  const paid = orders.filter(({ status }) => status === 'paid').length
  useEffect(() => {
    if (paid > 0) void client.invalidateQueries({ queryKey: selfQuery.queryKey })
  }, [client, paid])
  if (isOff && orders.length === 0) return null
  const entryOf = (order: Order): HistoryEntry => ({
    key: order.trade_no,
    title:
      order.status === 'paid' ? (
        <StatementLink part={creditsFrom(order.create_time)}>
          <Money kind="change" value={order.quota} />
        </StatementLink>
      ) : (
        <Money kind="amount" value={order.quota} />
      ),
    state: <Tag tone={TONES[order.status]}>{t(`wallet.state_${order.status}`)}</Tag>,
    details: [
      <Time key="time" seconds={order.create_time} />,
      t('wallet.yuan', { money: order.money }),
      order.payment_method === 'wx' ? t('wallet.wx') : t('wallet.zfb'),
      <Id key="number" value={order.trade_no} label={t('wallet.copyOrder')} />,
    ],
  })
  return (
    <Card
      title={t('wallet.orders')}
      action={orders.length > 0 ? <ExportButton size="xs" name="top-ups" list={ordersAt} /> : null}
    >
      <History
        query={query}
        entries={orders.map(entryOf)}
        emptyTitle={t('wallet.noOrders')}
        emptyDetail={t('wallet.noOrdersDetail')}
      />
    </Card>
  )
}
