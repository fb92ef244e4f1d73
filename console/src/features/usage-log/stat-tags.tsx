import { Grid } from '@chakra-ui/react'
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { Count } from '../../parts/count.tsx'
import { hinted } from '../../parts/hinted.ts'
import { Money } from '../../parts/money.tsx'
import type { LogSearch } from './filters.ts'
import { logStatQuery } from './queries.ts'

/** The type of charges and that of failed requests. */
const CONSUMPTION = 2
const ERROR = 5

const FIGURES_CSS = {
  '& > div': { display: 'flex', alignItems: 'baseline', gap: '1.5' },
  '& dt': { color: 'fg.muted' },
  '& dd': { fontWeight: '600', fontVariantNumeric: 'tabular-nums' },
} as const

/**
 * Figures over the filtered rows: cost, requests and tokens of the last minute, failures. A dash where unknown, and for
 * rows of a type that is filtered away: the server counts them whatever the type.
 */
export function StatTags({ search, isAdmin }: { search: LogSearch; isAdmin: boolean }) {
  const { t } = useTranslation()
  const stat = useQuery(logStatQuery(search, isAdmin)).data
  const { type } = search
  const charged = type === undefined || type === CONSUMPTION ? stat : undefined
  const failed = type === undefined || type === ERROR ? stat?.failed : undefined
  return (
    <Grid
      as="dl"
      // Each figure has a place of its own, so that none moves when another one arrives or grows.
      templateColumns={{ base: 'repeat(2, minmax(0, 1fr))', md: 'repeat(auto-fill, 180px)' }}
      columnGap={{ base: '2', md: '5' }}
      rowGap="1"
      fontSize="sm"
      px="3"
      py="1.5"
      borderBottomWidth="1px"
      borderColor="border"
      css={FIGURES_CSS}
    >
      <Stat label={t('log.consumed')} hint={t('log.consumedHint')}>
        <Money value={charged?.quota} />
      </Stat>
      <Stat label={t('log.rpm')} hint={t('log.rpmHint')}>
        <Count value={charged?.rpm} />
      </Stat>
      <Stat label={t('log.tpm')} hint={t('log.tpmHint')}>
        <Count value={charged?.tpm} />
      </Stat>
      <Stat label={t('log.failed')} hint={t('log.failedHint')}>
        <Count value={failed} />
      </Stat>
    </Grid>
  )
}

function Stat({ label, hint, children }: { label: string; hint: string; children: ReactNode }) {
  return (
    <div>
      <dt {...hinted(hint)}>{label}</dt>
      <dd>{children}</dd>
    </div>
  )
}
