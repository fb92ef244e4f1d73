import { Box, chakra, Flex, Stack, Text } from '@chakra-ui/react'
import { useQuery } from '@tanstack/react-query'
import { Check, Minus, X } from 'lucide-react'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { JsonView } from '../../parts/json-view.tsx'
import { ErrorState, SkeletonRows } from '../../parts/states.tsx'
import { recalculationQuery } from './recalculation-query.ts'

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
      {usage.upstream === null ? null : (
        <li>
          <OwnUsage text={usage.upstream} />
        </li>
      )}
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

/** The usage in upstream's own words, as the event has it. */
function OwnUsage({ text }: { text: string }) {
  const { t } = useTranslation()
  return (
    <chakra.details fontSize="sm">
      <chakra.summary cursor="pointer" color="fg.muted" mb="2">
        {t('charge.ownUsage')}
      </chakra.summary>
      <JsonView text={text} label={t('charge.ownUsage')} />
    </chakra.details>
  )
}
