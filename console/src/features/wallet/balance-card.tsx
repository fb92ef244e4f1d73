import { Box, Text } from '@chakra-ui/react'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { selfQuery } from '../../core/status.ts'
import { Facts } from '../../parts/facts.tsx'
import { Link as LinkStyle } from '../../parts/late/link.ts'
import { Money } from '../../parts/money.tsx'
import { SPENT, StatementLink } from '../../parts/statement-link.tsx'
import { ErrorState } from '../../parts/states.tsx'
import { Card } from '../../parts/card.tsx'

/** Type of the usage log's rows that tell of credits. */
const TOP_UP_ROWS = 1

/** The available balance, and the figures that it is made of. */
export function BalanceCard() {
  const { t } = useTranslation()
  const self = useQuery(selfQuery)
  const { data } = self
  if (self.isError && !data)
    return (
      <Card title={t('wallet.account')}>
        <ErrorState error={self.error} onRetry={() => void self.refetch()} />
      </Card>
    )
  return (
    <Card title={t('wallet.account')}>
      <Text color="fg.muted" fontSize="sm">
        {t('wallet.available')}
      </Text>
      <Text fontSize="3xl" fontWeight="650" letterSpacing="-0.02em" lineHeight="1.2" mb="3">
        <Money kind="balance" value={data ? data.quota - data.held : undefined} />
      </Text>
      <Facts
        facts={[
          {
            label: t('wallet.balance'),
            value: (
              <StatementLink>
                <Money kind="balance" value={data?.quota} />
              </StatementLink>
            ),
          },
          { label: t('wallet.held'), value: <Money value={data?.held} /> },
          {
            label: t('wallet.used'),
            value: (
              <StatementLink part={SPENT}>
                <Money value={data?.used_quota} />
              </StatementLink>
            ),
          },
        ]}
      />
      <Text color="fg.muted" fontSize="xs" mt="3">
        {t('wallet.balanceHelp')}
      </Text>
      <Box mt="2" fontSize="sm">
        <LinkStyle asChild color="teal.fg" textDecoration="underline">
          <Link to="/log" search={{ type: TOP_UP_ROWS }}>
            {t('wallet.statement')}
          </Link>
        </LinkStyle>
      </Box>
    </Card>
  )
}
