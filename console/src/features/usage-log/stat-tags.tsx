import { chakra, Flex, Skeleton } from '@chakra-ui/react'
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { Count } from '../../parts/count.tsx'
import { Money } from '../../parts/money.tsx'
import type { LogSearch } from './filters.ts'
import { logStatQuery } from './queries.ts'

/** What the rows in the filter cost together, and requests and tokens of the last minute. */
export function StatTags({ search, isAdmin }: { search: LogSearch; isAdmin: boolean }) {
  const { t } = useTranslation()
  const stat = useQuery(logStatQuery(search, isAdmin)).data
  const of = (value: ReactNode) => (stat ? value : <Skeleton display="inline-block" w="8" h="4" />)
  return (
    <Flex as="dl" gap={{ base: '3', md: '5' }} wrap="wrap" fontSize="sm">
      <Stat label={t('log.consumed')}>{of(<Money value={stat?.quota} />)}</Stat>
      <Stat label={t('log.rpm')}>{of(<Count value={stat?.rpm} />)}</Stat>
      <Stat label={t('log.failed')}>{of(<Count value={stat?.failed} />)}</Stat>
      <Stat label={t('log.tpm')}>{of(<Count value={stat?.tpm} />)}</Stat>
    </Flex>
  )
}

function Stat({ label, children }: { label: string; children: ReactNode }) {
  return (
    <Flex gap="1.5" align="baseline">
      <chakra.dt color="fg.muted">{label}</chakra.dt>
      <chakra.dd fontWeight="600" fontVariantNumeric="tabular-nums">
        {children}
      </chakra.dd>
    </Flex>
  )
}
