import { chakra } from '@chakra-ui/react'
import { useInfiniteQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { ExportButton } from '../../parts/export-button.tsx'
import { Money } from '../../parts/money.tsx'
import { creditsFrom, StatementLink } from '../../parts/statement-link.tsx'
import { Tag } from '../../parts/tag.tsx'
import { Time } from '../../parts/time.tsx'
import { Card } from '../../parts/card.tsx'
import { History } from './history.tsx'
import { redemptionsAt, redemptionsQuery } from './queries.ts'

/** The codes that one has redeemed. */
export function Redemptions() {
  const { t } = useTranslation()
  const query = useInfiniteQuery(redemptionsQuery)
  const rows = query.data?.pages.flatMap((page) => page.items) ?? []
  return (
    <Card
      title={t('wallet.redemptions')}
      action={
        rows.length > 0 ? (
          <ExportButton size="xs" name="redeemed-codes" list={redemptionsAt} />
        ) : null
      }
    >
      <History
        query={query}
        entries={rows.map((row) => ({
          key: String(row.id),
          title: (
            <StatementLink part={creditsFrom(row.redeemed_time)}>
              <Money kind="change" value={row.quota} />
            </StatementLink>
          ),
          state: <Tag tone="good">{t('wallet.usedCode')}</Tag>,
          details: [
            <Time key="time" seconds={row.redeemed_time} />,
            row.key_hint === '' ? (
              t('wallet.deletedCode')
            ) : (
              <chakra.span key="code" fontFamily="mono">
                {row.key_hint}
              </chakra.span>
            ),
          ],
        }))}
        emptyTitle={t('wallet.noRedemptions')}
        emptyDetail={t('wallet.noRedemptionsDetail')}
      />
    </Card>
  )
}
