import { Box, Button, chakra, Flex, Grid, Stack } from '@chakra-ui/react'
import { useInfiniteQuery } from '@tanstack/react-query'
import { ChevronLeft, ChevronRight, X } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useTimeZone } from '../../core/time-zone.ts'
import { BusyButton } from '../../parts/busy-button.tsx'
import { ExactMoney } from '../../parts/exact-money.tsx'
import { Select } from '../../parts/choice-fields.tsx'
import { Count } from '../../parts/count.tsx'
import { FormFailure } from '../../parts/form/form-view.tsx'
import { Page, Panel } from '../../parts/page.tsx'
import { rangeSearch } from '../../parts/range/range.ts'
import { RangePicker } from '../../parts/range/range-picker.tsx'
import { EmptyState, ErrorState, SkeletonRows } from '../../parts/states.tsx'
import { momentText, periodZone } from '../../parts/time-format.ts'
import { useHeight } from '../../parts/use-size.ts'
import { AsOf } from './as-of.tsx'
import { BalanceCurve } from './balance-curve.tsx'
import { Band } from './band.tsx'
import { curveOf, dayAfter } from './daily.ts'
import { ExportMenu } from './export-menu.tsx'
import { monthFrom, type Period } from '../../parts/range/months.ts'
import { GROUPS, periodOf, type StatementSearch } from './filters.ts'
import { LineRows } from './line-rows.tsx'
import { NOT_PRINTED, ONLY_PRINTED } from './print.ts'
import { PrintButton } from './print-button.tsx'
import { type Statement as Answer, statementQuery } from './queries.ts'

/** The band covers the lines at the window's upper edge. On a phone, it has up to four rows. */
const BELOW_BAND = {
  '& a, & button': { scrollMarginTop: { base: '200px', md: '120px', lg: '150px' } },
} as const
/** Pixels of the console's bar at the upper edge. */
const BAR = 48

/** An account's statement for a period: the sum that proves it, its lines, what the account held then. */
export function Statement(props: {
  search: StatementSearch
  onSearch: (search: StatementSearch) => void
}) {
  const { t } = useTranslation()
  useTimeZone()
  const { search, onSearch } = props
  const [now] = useState(() => Math.floor(Date.now() / 1000))
  const period = periodOf(search, now)
  const group = search.group ?? 'day-model'
  const query = useInfiniteQuery(statementQuery(search, period))
  const [watchBand, bandHeight] = useHeight()
  const [statement] = query.data?.pages ?? []
  const lines = query.data?.pages.flatMap((page) => page.lines) ?? []
  const owner = search.user === undefined ? '' : statement?.username || String(search.user)
  const isFiltered = [search.term, search.token, search.model].some((one) => one !== undefined)
  const { range: _range, start: _start, end: _end, group: _group, ...anyTime } = search
  const curve = curveOf(period, now)
  return (
    <Page
      title={owner === '' ? t('place.statement') : t('statement.of', { name: owner })}
      actions={
        <>
          <ExportMenu search={search} period={period} />
          <PrintButton key={JSON.stringify([search, period])} pages={query} />
        </>
      }
    >
      <Stack gap="4">
        <Tools search={search} period={period} onSearch={onSearch} />
        <PrintedPeriod search={search} period={period} />
        {statement === undefined ? null : (
          <Band
            watch={watchBand}
            statement={statement}
            term={search.term}
            onTerm={(term) => {
              const { term: _, ...rest } = search
              onSearch(term === undefined ? rest : { ...rest, term })
            }}
          />
        )}
        {query.isPending ? <SkeletonRows rows={8} /> : null}
        {query.error && statement === undefined ? (
          <ErrorState error={query.error} onRetry={() => void query.refetch()} />
        ) : null}
        {statement === undefined ? null : (
          // On a wide screen the lines fit, so that their headings can stay in view below the band.
          <Panel overflowX={{ base: 'auto', lg: 'visible' }} css={BELOW_BAND}>
            {lines.length === 0 ? (
              <EmptyState
                title={t('statement.empty')}
                detail={t(isFiltered ? 'statement.emptyFiltered' : 'statement.emptyDetail')}
              />
            ) : (
              <Table below={BAR + bandHeight}>
                <LineRows lines={lines} search={search} group={group} />
              </Table>
            )}
            {query.hasNextPage ? (
              <Stack align="center" gap="1" py="2" css={NOT_PRINTED}>
                {query.isFetchNextPageError ? <FormFailure failure={query.error} /> : null}
                <BusyButton
                  size="sm"
                  variant="outline"
                  isBusy={query.isFetchingNextPage}
                  onClick={() => void query.fetchNextPage()}
                >
                  {t('statement.more')}
                </BusyButton>
              </Stack>
            ) : null}
            {query.hasNextPage ? (
              <Box css={ONLY_PRINTED} p="2">
                {t('statement.printedInPart')}
              </Box>
            ) : null}
            <Foot statement={statement} search={search} onSearch={onSearch} />
          </Panel>
        )}
        {/* Below the lines, whose number is not known before they are there. */}
        {query.isPending ? null : (
          <Grid
            gap="4"
            templateColumns={{ base: 'minmax(0, 1fr)', lg: 'minmax(0, 2fr) minmax(0, 1fr)' }}
            alignItems="start"
            css={NOT_PRINTED}
          >
            <BalanceCurve
              user={search.user}
              curve={curve}
              now={now}
              onDay={(start) =>
                onSearch({ ...anyTime, group: 'none', start, end: dayAfter(start) })
              }
              onDays={() => {
                const { from, to } = monthFrom(period.from / 1000, 0)
                onSearch({ ...anyTime, start: from / 1000, end: to / 1000 })
              }}
            />
            <AsOf key={period.to} user={search.user} initial={Math.min(period.to, now * 1000)} />
          </Grid>
        )}
      </Stack>
    </Page>
  )
}

function Tools(props: {
  search: StatementSearch
  period: Period
  onSearch: (search: StatementSearch) => void
}) {
  const { t } = useTranslation()
  const { search, period, onSearch } = props
  const { range: _range, start: _start, end: _end, ...rest } = search
  const turn = (months: number): void => {
    // A period from the first entry on has no month before it.
    const place = period.from > 0 ? period.from : period.to - 1
    const { from, to } = monthFrom(place / 1000, months)
    onSearch({ ...rest, start: from / 1000, end: to / 1000 })
  }
  const words = useFilterWords(search)
  return (
    <Flex gap="2" wrap="wrap" align="center" css={NOT_PRINTED}>
      <Button
        size="xs"
        variant="outline"
        aria-label={t('statement.previousMonth')}
        onClick={() => turn(-1)}
      >
        <ChevronLeft size={14} aria-hidden />
      </Button>
      <RangePicker
        value={{ type: 'custom', start: period.from / 1000, end: period.to / 1000 }}
        isEndOutside
        isZoneBeside
        onChange={(range) => onSearch({ ...rest, ...rangeSearch(range) })}
      />
      <Button
        size="xs"
        variant="outline"
        aria-label={t('statement.nextMonth')}
        onClick={() => turn(1)}
      >
        <ChevronRight size={14} aria-hidden />
      </Button>
      <chakra.span fontSize="xs" color="fg.muted">
        {periodZone(period)}
      </chakra.span>
      <Select
        label={t('statement.group')}
        value={search.group ?? 'day-model'}
        width="190px"
        onChange={(chosen) => {
          const { group: _group, holds: _holds, ...others } = search
          const group = GROUPS.find((one) => one === chosen)
          onSearch(group === undefined || group === 'day-model' ? others : { ...others, group })
        }}
        options={GROUPS.map((value) => ({ value, label: t(`statement.group_${value}`) }))}
      />
      {words.map(({ name, text }) => (
        <Button
          key={name}
          size="xs"
          variant="subtle"
          aria-label={t('list.clearFilter', { label: t(`statement.filter_${name}`) })}
          onClick={() => {
            const { [name]: _gone, ...others } = search
            onSearch(others)
          }}
        >
          {text}
          <X size={12} aria-hidden />
        </Button>
      ))}
    </Flex>
  )
}

const FILTERS = ['term', 'token', 'model', 'holds'] as const

/** Filters of the lines, in words. */
function useFilterWords(search: StatementSearch) {
  const { t } = useTranslation()
  return FILTERS.filter((name) => search[name] !== undefined).map((name) => {
    if (name === 'holds') return { name, text: t('statement.filter_holds') }
    if (name === 'term' && search.term !== undefined)
      return { name, text: t(`statement.${search.term}`) }
    return { name, text: `${t(`statement.filter_${name}`)}: ${String(search[name])}` }
  })
}

/** The period and the filters on paper, where the controls are not. */
function PrintedPeriod({ search, period }: { search: StatementSearch; period: Period }) {
  const { t } = useTranslation()
  const words = useFilterWords(search).map(({ text }) => text)
  const bounds = { from: momentText(period.from / 1000), to: momentText(period.to / 1000) }
  const span = t(period.from > 0 ? 'statement.printedPeriod' : 'statement.printedUntil', bounds)
  return <Box css={ONLY_PRINTED}>{[span, periodZone(period), ...words].join(' · ')}</Box>
}

/** The lines under their headings, which stay in view on a wide screen, `below` pixels from the window's upper edge. */
function Table({ below, children }: { below: number; children: ReactNode }) {
  const { t } = useTranslation()
  return (
    <chakra.table
      w="full"
      fontSize="sm"
      aria-label={t('statement.lines')}
      css={{
        '& th, & td': {
          paddingInline: { base: '6px', md: '12px' },
          paddingBlock: '6px',
          verticalAlign: 'top',
        },
        '& tbody tr': { borderTopWidth: '1px', borderColor: 'border.muted' },
      }}
    >
      <chakra.thead
        color="fg.muted"
        fontSize="xs"
        position={{ lg: 'sticky' }}
        bg="bg.panel"
        boxShadow={{ lg: '0 1px 0 var(--tg-colors-border)' }}
        style={{ top: below }}
        css={{ '@media print': { position: 'static', boxShadow: 'none' } }}
      >
        <tr>
          <chakra.th textAlign="start" hideBelow="md">
            {t('statement.time')}
          </chakra.th>
          <chakra.th textAlign="start">{t('statement.what')}</chakra.th>
          <chakra.th textAlign="end" hideBelow="md">
            {t('statement.debit')}
          </chakra.th>
          <chakra.th textAlign="end" hideBelow="md">
            {t('statement.credit')}
          </chakra.th>
          <chakra.th textAlign="end" hideFrom="md" css={NOT_PRINTED}>
            {t('statement.amount')}
          </chakra.th>
          <chakra.th textAlign="end" hideBelow="md">
            {t('statement.balance')}
          </chakra.th>
        </tr>
      </chakra.thead>
      <tbody>{children}</tbody>
    </chakra.table>
  )
}

/** The parts of the closing balance, and how far the books reach. */
function Foot(props: {
  statement: Answer
  search: StatementSearch
  onSearch: (search: StatementSearch) => void
}) {
  const { t } = useTranslation()
  const { statement, search, onSearch } = props
  const parts = ['held', 'available', 'affiliate'] as const
  return (
    <Flex
      gapX="5"
      gapY="1"
      wrap="wrap"
      px="3"
      py="2.5"
      borderTopWidth="1px"
      borderColor="border"
      fontSize="sm"
    >
      {parts.map((part) => (
        <Box key={part}>
          <chakra.span color="fg.muted">{t(`statement.${part}`)} </chakra.span>
          <ExactMoney value={statement[part]} />
        </Box>
      ))}
      {search.holds === true ? null : (
        <Button
          size="2xs"
          variant="outline"
          css={NOT_PRINTED}
          onClick={() => onSearch({ ...search, group: 'none', holds: true })}
        >
          {t('statement.showHolds')}
        </Button>
      )}
      <Box color="fg.muted">
        {t('statement.completeTo')} <Count value={statement.complete_to} />
        {' · '}
        {t(statement.final ? 'statement.isFinal' : 'statement.notFinal')}
      </Box>
    </Flex>
  )
}
