import { Text } from '@chakra-ui/react'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { useIsAdmin } from '../../core/session.ts'
import { Facts } from '../../parts/facts.tsx'
import { Opens } from '../../parts/opens.tsx'
import { ErrorState, SkeletonRows } from '../../parts/states.tsx'
import { Time } from '../../parts/time.tsx'
import { recalculationQuery } from './recalculation-query.ts'

/** The revision that a charge was priced by: which, by whom (for administrators), since when. */
export function PriceSource({ requestId }: { requestId: string }) {
  const { t } = useTranslation()
  const isAdmin = useIsAdmin()
  const query = useQuery(recalculationQuery(requestId))
  if (!query.data)
    return query.error ? (
      <ErrorState error={query.error} onRetry={() => void query.refetch()} />
    ) : (
      <SkeletonRows rows={2} height="24px" />
    )
  const { set_by: setBy } = query.data
  if (setBy === null) {
    return (
      <Text color="fg.muted" fontSize="sm">
        {t('charge.defaultPrice')}
      </Text>
    )
  }
  return (
    <Facts
      facts={[
        {
          label: t('prices.revision'),
          value: isAdmin ? (
            <Opens>
              <Link to="/audit/prices" search={{ row: String(setBy.position) }}>
                {t('prices.numbered', { number: setBy.number })}
              </Link>
            </Opens>
          ) : (
            t('prices.numbered', { number: setBy.number })
          ),
        },
        { label: t('charge.setBy'), value: setBy.actor_name || setBy.actor },
        { label: t('charge.inForceSince'), value: <Time seconds={setBy.effective_at / 1000} /> },
      ]}
    />
  )
}
