import { Box, chakra, Heading, Text } from '@chakra-ui/react'
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { Facts } from '../../parts/facts.tsx'
import { Money } from '../../parts/money.tsx'
import { exactQuota } from '../../parts/quota-format.ts'
import { useQuotaUnit } from '../../parts/quota.tsx'
import { ErrorState, SkeletonRows } from '../../parts/states.tsx'
import { Link } from '@tanstack/react-router'
import { Arithmetic } from '../../parts/charge/arithmetic.tsx'
import { AttemptList } from '../../parts/charge/attempt-list.tsx'
import { type Charge, UPSTREAM_FACTS } from '../../parts/charge/charge.ts'
import { chargeQuery } from '../../parts/charge/charge-query.ts'
import { Opens } from '../../parts/opens.tsx'

/**
 * The charge as the ledger has it: count × what one costs, each rate as the product of its named factors, the rounding,
 * what paid for it and the channels that were tried.
 */
export function ExplainCharge({ requestId }: { requestId: string }) {
  const { t } = useTranslation()
  const charge = useQuery(chargeQuery(requestId))
  if (charge.data === null) return null
  return (
    <Box>
      <Heading as="h3" size="sm" mb="2">
        {t('log.explain')}
      </Heading>
      <Text mb="2" fontSize="sm">
        <Opens>
          <Link to="/audit/charges/$requestId" params={{ requestId }}>
            {t('log.explainPage')}
          </Link>
        </Opens>
      </Text>
      {charge.data ? (
        <Explained charge={charge.data} />
      ) : charge.error ? (
        <ErrorState error={charge.error} onRetry={() => void charge.refetch()} />
      ) : (
        <SkeletonRows rows={6} height="24px" />
      )}
    </Box>
  )
}

function Explained({ charge }: { charge: Charge }) {
  const { t } = useTranslation()
  const { quotaPerUnit } = useQuotaUnit()
  const total = exactQuota(charge.amount, quotaPerUnit)
  const { attempts, arithmetic, upstream } = charge
  return (
    <>
      {arithmetic ? <Arithmetic explanation={arithmetic} charged={total.quota} /> : null}
      <Text mt="2" mb="3" color="fg.muted" fontSize="xs">
        {t('log.charged', total)}
      </Text>
      <Facts
        facts={[
          {
            label: t('log.fromHold'),
            value: charge.from_hold > 0 ? <Money value={charge.from_hold} /> : null,
          },
          {
            label: t('log.fromWallet'),
            value: charge.from_wallet > 0 ? <Money value={charge.from_wallet} /> : null,
          },
          {
            label: t('log.hold'),
            value: charge.hold ? (
              <chakra.span fontFamily="mono" fontSize="xs">
                {`${charge.hold} · ${charge.sequence}`}
              </chakra.span>
            ) : null,
          },
          {
            label: t('log.attempts'),
            value:
              attempts.length > 0 ? (
                <AttemptList attempts={attempts} />
              ) : charge.attempt_count > 1 ? (
                charge.attempt_count
              ) : null,
          },
          ...UPSTREAM_FACTS.map((name) => ({
            label: t(`log.upstream.${name}`),
            value: upstream?.[name],
          })),
        ]}
      />
    </>
  )
}
