import { Box, chakra, Flex, Input, Text } from '@chakra-ui/react'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useId, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useTimeZone } from '../../core/time-zone.ts'
import { AsOfNote } from '../../parts/as-of-note.tsx'
import { BusyButton } from '../../parts/busy-button.tsx'
import { ExportButton } from '../../parts/export-button.tsx'
import { Freshness } from '../../parts/freshness.tsx'
import { LedgerAccountChip } from '../../parts/ledger-account.tsx'
import { BigMoney } from '../../parts/money.tsx'
import { Opens } from '../../parts/opens.tsx'
import { Page, Panel } from '../../parts/page.tsx'
import { grouped } from '../../parts/quota-format.ts'
import { useQuotaUnit } from '../../parts/quota.tsx'
import { ErrorState, SkeletonRows } from '../../parts/states.tsx'
import { Tag } from '../../parts/tag.tsx'
import { MomentInput } from '../../parts/moment-input.tsx'
import { momentText, readMoment } from '../../parts/time-format.ts'
import type { KindRow, TrialBalanceReport } from './queries.ts'
import { isOfKind, trialBalanceAt, trialBalanceQuery } from './queries.ts'
import type { TrialBalanceSearch } from './search.ts'

/** Debits, credits and balance of every kind of ledger account, as of any moment; each leads into the journal. */
export function TrialBalance(props: {
  search: TrialBalanceSearch
  onSearch: (search: TrialBalanceSearch) => void
}) {
  const { t } = useTranslation()
  const { search, onSearch } = props
  const report = useQuery(trialBalanceQuery(search))
  useTimeZone()
  return (
    <Page
      title={t('place.trialBalance')}
      description={t('audit.trialNote')}
      actions={<ExportButton name="trial-balance" list={() => trialBalanceAt(search)} />}
    >
      <Panel>
        <Flex
          gap="3"
          p="2.5"
          wrap="wrap"
          align="center"
          borderBottomWidth="1px"
          borderColor="border"
        >
          <AsOf key={search.at} at={search.at} onAt={(at) => onSearch({ at })} />
          <AsOfPosition
            key={`position ${search.position ?? ''}`}
            position={search.position}
            onPosition={(position) => onSearch({ position })}
          />
          <BusyButton
            size="xs"
            variant="outline"
            isBusy={false}
            isLocked={search.at === undefined && search.position === undefined}
            onClick={() => onSearch({})}
          >
            {t('audit.asOfNow')}
          </BusyButton>
          <Box ms="auto">
            <Freshness
              readAt={report.dataUpdatedAt}
              isReading={report.isFetching}
              error={report.data ? report.error : null}
              onRefresh={() => void report.refetch()}
            />
          </Box>
          {report.data ? (
            <Text flexBasis="full" fontSize="xs" color="fg.muted">
              <AsOfNote
                asked={search}
                position={report.data.position}
                isFinal={report.data.final}
              />
            </Text>
          ) : null}
        </Flex>
        {report.data ? (
          <Rows report={report.data} search={search} />
        ) : report.error ? (
          <ErrorState error={report.error} onRetry={() => void report.refetch()} />
        ) : (
          <SkeletonRows rows={9} />
        )}
      </Panel>
    </Page>
  )
}

/** The moment in the address, typed anew or chosen in the calendar. */
function AsOf({ at, onAt }: { at: number | undefined; onAt: (at: number) => void }) {
  const { t } = useTranslation()
  const id = useId()
  const [typed, setTyped] = useState(at === undefined ? '' : momentText(at))
  const moment = readMoment(typed)
  return (
    <chakra.span display="flex" gap="2" alignItems="center">
      <label htmlFor={id}>{t('audit.asOf')}</label>
      <chakra.span w="200px">
        <MomentInput
          id={id}
          size="xs"
          value={typed}
          onChange={setTyped}
          isInvalid={typed !== '' && moment === null}
          onDone={(text) => {
            const done = readMoment(text)
            if (done !== null && done !== at) onAt(done)
          }}
        />
      </chakra.span>
    </chakra.span>
  )
}

/** The position of the log up to which events count, typed to its end. */
function AsOfPosition(props: {
  position: number | undefined
  onPosition: (position: number) => void
}) {
  const { t } = useTranslation()
  const id = useId()
  const [typed, setTyped] = useState(String(props.position ?? ''))
  const isPosition = /^\d{1,15}$/u.test(typed.trim())
  const ask = () =>
    isPosition && Number(typed) !== props.position && props.onPosition(Number(typed))
  return (
    <chakra.span display="flex" gap="2" alignItems="center">
      <label htmlFor={id}>{t('audit.asOfPosition')}</label>
      <Input
        id={id}
        size="xs"
        w="110px"
        inputMode="numeric"
        autoComplete="off"
        fontVariantNumeric="tabular-nums"
        value={typed}
        onChange={(event) => setTyped(event.target.value)}
        onBlur={ask}
        onKeyDown={(event) => event.key === 'Enter' && ask()}
        {...(typed === '' || isPosition ? {} : { 'aria-invalid': true })}
      />
    </chakra.span>
  )
}

function Rows({ report, search }: { report: TrialBalanceReport; search: TrialBalanceSearch }) {
  const { t } = useTranslation()
  const { unit } = useQuotaUnit()
  const isBalanced = report.total.balance === '0'
  // Dollars carry their sign.
  const inUnit = (label: string) =>
    unit === 'quota' ? t('amount.label', { label, unit: t('quota.raw') }) : label
  return (
    <Box overflowX="auto" tabIndex={0} as="section" aria-label={t('place.trialBalance')}>
      <chakra.table w="full" fontSize="sm" fontVariantNumeric="tabular-nums" css={LOOK}>
        <thead>
          <tr>
            <th scope="col">{t('audit.account')}</th>
            <th scope="col">{t('audit.accountsOf')}</th>
            <th scope="col">{inUnit(t('audit.debited'))}</th>
            <th scope="col">{inUnit(t('audit.credited'))}</th>
            <th scope="col">{inUnit(t('audit.balance'))}</th>
          </tr>
        </thead>
        <tbody>
          {report.rows.filter(isOfKind).map((row) => (
            <Row key={row.account} row={row} search={search} position={report.position} />
          ))}
        </tbody>
        <tfoot>
          <tr>
            <th scope="row">{t('audit.sum')}</th>
            <td data-label={t('audit.accountsOf')}>{grouped(report.total.accounts, 0)}</td>
            <td data-label={t('audit.debited')}>
              <BigMoney value={report.total.debits} isInColumn />
            </td>
            <td data-label={t('audit.credited')}>
              <BigMoney value={report.total.credits} isInColumn />
            </td>
            <td data-label={t('audit.balance')}>
              <Tag tone={isBalanced ? 'good' : 'bad'}>
                {t(isBalanced ? 'audit.balanced' : 'audit.unbalanced')}
              </Tag>
            </td>
          </tr>
        </tfoot>
      </chakra.table>
    </Box>
  )
}

/** One kind of account; its name opens the postings on both of its sides, which the journal lists together. */
function Row(props: { row: KindRow; search: TrialBalanceSearch; position: number }) {
  const { t } = useTranslation()
  const { row, search, position } = props
  const { account } = row
  // The journal's end is included, the moment is not.
  const until =
    search.at === undefined ? { toPosition: position } : { end: Math.max(0, search.at - 1) }
  return (
    <tr>
      <td>
        <Opens>
          <Link to="/audit/journal" search={{ account, ...until }}>
            <LedgerAccountChip account={account} />
          </Link>
        </Opens>
        <Text as="span" ms="2" fontSize="xs" color="fg.muted" whiteSpace="normal">
          {t(`audit.kind_${account}`)}
        </Text>
      </td>
      <td data-label={t('audit.accountsOf')}>{grouped(row.accounts, 0)}</td>
      <td data-label={t('audit.debited')}>
        <BigMoney value={row.debits} isInColumn />
      </td>
      <td data-label={t('audit.credited')}>
        <BigMoney value={row.credits} isInColumn />
      </td>
      <td data-label={t('audit.balance')}>
        <Balance value={row.balance} />
      </td>
    </tr>
  )
}

/** A balance without a sign, on the side that it stands on: credits less debits, as decimal text. */
function Balance({ value }: { value: string }) {
  const { t } = useTranslation()
  const isDebit = value.startsWith('-')
  return (
    <chakra.span
      display="inline-flex"
      gap="1.5"
      // On a phone the side stands first, so that figures end in one line.
      flexDirection={{ base: 'row-reverse', sm: 'row' }}
    >
      <BigMoney value={isDebit ? value.slice(1) : value} isInColumn />
      <chakra.span minW={{ sm: '1.5em' }} color="fg.muted">
        {value === '0' ? '' : t(isDebit ? 'audit.side_debit' : 'audit.side_credit')}
      </chakra.span>
    </chakra.span>
  )
}

const LOOK = {
  '& th, & td': { py: '2', px: '3', textAlign: 'end', whiteSpace: 'nowrap' },
  '& tr > :first-child': { textAlign: 'start' },
  '& thead th': { color: 'fg.muted', fontWeight: '500' },
  '& tr': { borderBottomWidth: '1px', borderColor: 'border.muted' },
  '& tfoot td, & tfoot th': { fontWeight: '650' },
  // On a phone each account is a card: its name, and below it a line for each figure.
  smDown: {
    display: 'block',
    '& thead': { display: 'none' },
    '& tbody, & tfoot, & tr': { display: 'block' },
    '& tr': { py: '2' },
    '& th, & td': { display: 'flex', justifyContent: 'space-between', py: '0.5' },
    '& td[data-label]::before': { content: 'attr(data-label)', color: 'fg.muted' },
  },
} as const
