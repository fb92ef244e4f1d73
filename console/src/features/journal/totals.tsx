import { chakra, Flex } from '@chakra-ui/react'
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { Count } from '../../parts/count.tsx'
import { BigMoney } from '../../parts/money.tsx'
import type { JournalSearch } from './filters.ts'
import { journalTotalsQuery } from './queries.ts'

/**
 * The totals of the filtered postings; until they are known, a note that they are being counted. Of one ledger account
 * they are its two sides: the sum of both would be neither turnover nor balance.
 */
export function Totals({ search }: { search: JournalSearch }) {
  const { t } = useTranslation()
  const totals = useQuery(journalTotalsQuery(search)).data
  const unknown = t('audit.counting')
  const amount = (text: string | null | undefined): ReactNode =>
    typeof text === 'string' ? <BigMoney value={text} /> : unknown
  return (
    <Flex
      as="dl"
      columnGap="6"
      rowGap="1"
      wrap="wrap"
      fontSize="sm"
      px="3"
      py="1.5"
      minH="34px"
      borderBottomWidth="1px"
      borderColor="border"
      aria-busy={!totals}
    >
      {search.account === undefined ? (
        <Figure label={t('audit.total')} hint={t('audit.totalHint')}>
          {amount(totals?.amount)}
        </Figure>
      ) : (
        <>
          <Figure label={t('audit.debited')} hint={t('audit.sideHint')}>
            {amount(totals?.debits)}
          </Figure>
          <Figure label={t('audit.credited')} hint={t('audit.sideHint')}>
            {amount(totals?.credits)}
          </Figure>
        </>
      )}
      {typeof totals?.postings === 'number' ? (
        <Figure label={t('audit.postings')}>
          <Count value={totals.postings} />
        </Figure>
      ) : null}
    </Flex>
  )
}

function Figure({ label, hint, children }: { label: string; hint?: string; children: ReactNode }) {
  return (
    <Flex gap="1.5" align="baseline">
      <chakra.dt color="fg.muted" {...(hint ? { 'data-hint': hint, tabIndex: 0 } : {})}>
        {label}
      </chakra.dt>
      <chakra.dd fontWeight="600" fontVariantNumeric="tabular-nums">
        {children}
      </chakra.dd>
    </Flex>
  )
}
