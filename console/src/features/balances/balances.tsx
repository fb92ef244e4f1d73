import { Box, chakra, Flex } from '@chakra-ui/react'
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { AsOfNote } from '../../parts/as-of-note.tsx'
import { ExportButton } from '../../parts/export-button.tsx'
import { ListPage } from '../../parts/list/list-page.tsx'
import { usePageSize } from '../../parts/list/use-page-size.ts'
import { BigMoney, UNKNOWN } from '../../parts/money.tsx'
import { useBalanceColumns } from './columns.tsx'
import type { BalancesSearch } from './filters.ts'
import { BALANCE_FILTERS, withOneAsOf } from './filters.ts'
import { balancesAt, balancesQuery, totalsQuery } from './queries.ts'

/** Balances of all users, now or as of any moment or position, with their totals; each leads to its statement. */
export function Balances(props: {
  search: BalancesSearch
  onSearch: (search: BalancesSearch) => void
}) {
  const { t } = useTranslation()
  const { search } = props
  const columns = useBalanceColumns(search.moment)
  return (
    <ListPage
      name="balances"
      title={t('place.balances')}
      actions={<ExportButton name="balances" list={() => balancesAt(search)} />}
      filters={BALANCE_FILTERS}
      search={search}
      onSearch={(next) => props.onSearch(withOneAsOf(next, search))}
      columns={columns}
      columnsKey="balances-table-columns"
      query={(pageSize) => balancesQuery(search, pageSize)}
      rowId={(account) => String(account.user_id)}
      summary={<Totals search={search} />}
      empty={{ title: t('audit.balancesEmpty'), noneFound: t('audit.balancesNone') }}
    />
  )
}

/** The totals of all accounts, and up to where they are counted. Their room is there before they are. */
function Totals({ search }: { search: BalancesSearch }) {
  const { t, i18n } = useTranslation()
  // On a phone, the English text below the figures has two lines.
  const isTwoLines = i18n.language === 'en'
  const report = useQuery(totalsQuery(search, usePageSize(search))).data
  return (
    <Box px="3" py="1.5" borderBottomWidth="1px" borderColor="border" aria-busy={!report}>
      <chakra.dl
        display="grid"
        gridTemplateColumns={{ base: '1fr', sm: 'repeat(2, 1fr)', md: 'repeat(4, minmax(0, 1fr))' }}
        columnGap="4"
        rowGap="1"
        fontSize="sm"
        aria-label={t('audit.allUsers')}
      >
        {(['posted', 'held', 'available', 'affiliate'] as const).map((name) => (
          <Flex
            key={name}
            gap="1.5"
            align="baseline"
            minW="0"
            whiteSpace="nowrap"
            justify={{ base: 'space-between', md: 'flex-start' }}
          >
            <chakra.dt color="fg.muted">{t(`audit.${TOTALS[name]}`)}</chakra.dt>
            <chakra.dd fontWeight="600" fontVariantNumeric="tabular-nums">
              {report ? <BigMoney value={report.totals[name]} /> : UNKNOWN}
            </chakra.dd>
          </Flex>
        ))}
      </chakra.dl>
      <Box
        mt="1"
        minH={{ base: isTwoLines ? '36px' : '18px', md: '18px' }}
        fontSize="xs"
        color="fg.muted"
      >
        {report ? (
          <AsOfNote
            asked={{ at: search.moment, position: search.position }}
            position={report.position}
            isFinal={report.final}
          />
        ) : null}
      </Box>
    </Box>
  )
}

const TOTALS = {
  posted: 'posted',
  held: 'account_held',
  available: 'available',
  affiliate: 'account_affiliate',
} as const
