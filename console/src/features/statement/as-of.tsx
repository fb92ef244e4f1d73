import { Box, Flex } from '@chakra-ui/react'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Card } from '../../parts/card.tsx'
import { ExactMoney } from '../../parts/exact-money.tsx'
import { Facts } from '../../parts/facts.tsx'
import { MomentInput } from '../../parts/moment-input.tsx'
import { ErrorState } from '../../parts/states.tsx'
import { momentText, readMoment } from '../../parts/time-format.ts'
import { balanceQuery } from './queries.ts'

/** What the account held right before any moment. */
export function AsOf({ user, initial }: { user: number | undefined; initial: number }) {
  const { t } = useTranslation()
  const [seconds, setSeconds] = useState(Math.floor(initial / 1000))
  const [typed, setTyped] = useState(() => momentText(seconds))
  const query = useQuery(balanceQuery(user, seconds * 1000))
  const balance = query.data
  const amount = (value: number | undefined) =>
    value === undefined ? '–' : <ExactMoney value={value} />
  return (
    <Card title={t('statement.asOf')} description={t('statement.asOfHelp')}>
      <Flex direction="column" gap="3">
        <Flex direction="column" gap="1.5">
          <label htmlFor="as-of">{t('statement.moment')}</label>
          <MomentInput
            id="as-of"
            size="sm"
            value={typed}
            isInvalid={readMoment(typed) === null}
            onChange={setTyped}
            onDone={(text) => {
              const chosen = readMoment(text)
              if (chosen !== null) setSeconds(chosen)
            }}
          />
        </Flex>
        {query.error ? (
          <ErrorState error={query.error} onRetry={() => void query.refetch()} />
        ) : (
          <Facts
            facts={[
              { label: t('statement.posted'), value: amount(balance?.posted) },
              { label: t('statement.held'), value: amount(balance?.held) },
              { label: t('statement.available'), value: amount(balance?.available) },
              { label: t('statement.affiliate'), value: amount(balance?.affiliate) },
            ]}
          />
        )}
        <Box fontSize="xs" color="fg.muted" as="output">
          {balance === undefined
            ? ''
            : t(balance.final ? 'statement.isFinal' : 'statement.notFinal')}
        </Box>
      </Flex>
    </Card>
  )
}
