import { Box, chakra, Flex, Stack, Text } from '@chakra-ui/react'
import { queryOptions, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Check, Minus, X } from 'lucide-react'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { get } from '../../core/api.ts'
import { type Answer, pathOf } from '../../core/calls.ts'
import { useIsAdmin } from '../../core/session.ts'
import { JsonView } from '../../parts/json-view.tsx'
import { Opens } from '../../parts/opens.tsx'
import { ErrorState, SkeletonRows } from '../../parts/states.tsx'
import { Time } from '../../parts/time.tsx'

type Recalculation = Answer<'GET /api/ledger/charges/{request_id}/recalculation'>

const recalculationQuery = (requestId: string) =>
  queryOptions({
    queryKey: ['charges', 'recalculated', requestId],
    queryFn: ({ signal }) =>
      get(
        pathOf('/api/ledger/charges/{request_id}/recalculation', { request_id: requestId }),
        undefined,
        signal,
      ),
    staleTime: Infinity,
  })

/** The charge worked out again from its sources in three steps: each equal, or both shown. */
export function Recalculated({ requestId }: { requestId: string }) {
  const { t } = useTranslation()
  const again = useQuery(recalculationQuery(requestId))
  if (!again.data)
    return again.error ? (
      <ErrorState error={again.error} onRetry={() => void again.refetch()} />
    ) : (
      <SkeletonRows rows={3} height="24px" />
    )
  const { usage, price, amount } = again.data
  return (
    <Stack gap="3" as="ol" listStyleType="none">
      <Step isEqual={usage.is_equal} title={t('charge.stepUsage')} unknown={t('charge.noUsage')}>
        <Both one={usage.recalculated} other={usage.charged} />
      </Step>
      <Step isEqual={price.is_equal} title={t('charge.stepPrice')}>
        <Both one={price.recalculated} other={price.charged} />
      </Step>
      <Step isEqual={amount.is_equal} title={t('charge.stepAmount')}>
        <Both one={amount.recalculated} other={amount.charged} />
      </Step>
      <Sources again={again.data} />
    </Stack>
  )
}

function Step(props: {
  isEqual: boolean | null
  title: string
  unknown?: string
  children: ReactNode
}) {
  const { t } = useTranslation()
  const { isEqual } = props
  const tone = isEqual === null ? 'fg.muted' : isEqual ? 'fg.success' : 'fg.error'
  const Mark = isEqual === null ? Minus : isEqual ? Check : X
  return (
    <Box as="li">
      <Flex gap="2" align="center" fontSize="sm">
        <chakra.span color={tone} display="inline-flex">
          <Mark size={15} aria-hidden />
        </chakra.span>
        <span>{props.title}</span>
        <chakra.span ms="auto" color={tone} fontWeight="600" textAlign="end">
          {isEqual === null ? props.unknown : t(isEqual ? 'charge.equal' : 'charge.unequal')}
        </chakra.span>
      </Flex>
      {isEqual === false ? props.children : null}
    </Box>
  )
}

/** The recalculated value beside the one in the ledger. */
function Both({ one, other }: { one: object | number | null; other: object | number }) {
  const { t } = useTranslation()
  return (
    <Stack gap="2" mt="2">
      <Text fontSize="xs" color="fg.muted">
        {t('charge.workedOut')}
      </Text>
      <JsonView text={JSON.stringify(one)} label={t('charge.workedOut')} />
      <Text fontSize="xs" color="fg.muted">
        {t('charge.inLedger')}
      </Text>
      <JsonView text={JSON.stringify(other)} label={t('charge.inLedger')} />
    </Stack>
  )
}

/** The actor who set the price, and the usage in upstream's own words. */
function Sources({ again }: { again: Recalculation }) {
  const { t } = useTranslation()
  const isAdmin = useIsAdmin()
  const { set_by: setBy, usage } = again
  return (
    <Box as="li" fontSize="sm">
      {setBy ? (
        <Text>
          {t('charge.setBy', {
            number: setBy.number,
            keys: setBy.keys.join(', '),
            name: setBy.actor_name || setBy.actor || '–',
          })}{' '}
          <Time seconds={setBy.effective_at / 1000} />{' '}
          {isAdmin ? (
            <Opens>
              <Link to="/audit/prices" search={{ row: String(setBy.position) }}>
                {t('charge.revision')}
              </Link>
            </Opens>
          ) : null}
        </Text>
      ) : (
        <Text color="fg.muted">{t('charge.defaultPrice')}</Text>
      )}
      {usage.upstream === null ? null : (
        <chakra.details mt="2">
          <chakra.summary cursor="pointer" color="fg.muted" mb="2">
            {t('charge.ownUsage')}
          </chakra.summary>
          <JsonView text={usage.upstream} label={t('charge.ownUsage')} />
        </chakra.details>
      )}
    </Box>
  )
}
