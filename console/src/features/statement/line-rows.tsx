import { Box, chakra, Flex } from '@chakra-ui/react'
import { useInfiniteQuery } from '@tanstack/react-query'
import { ChevronDown, ChevronRight } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useIsAdmin } from '../../core/session.ts'
import { BusyButton } from '../../parts/busy-button.tsx'
import { CauseLink } from '../../parts/cause-link.tsx'
import { ExactMoney } from '../../parts/exact-money.tsx'
import { grouped } from '../../parts/quota-format.ts'
import { ErrorState, SkeletonRows } from '../../parts/states.tsx'
import { Tag } from '../../parts/tag.tsx'
import { Time } from '../../parts/time.tsx'
import { dateOf } from '../../parts/time-format.ts'
import type { Group, StatementSearch } from './filters.ts'
import { NOT_PRINTED } from './print.ts'
import { type EventLine, insideQuery, type Line, type SumLine } from './queries.ts'
import { serviceDate } from './service-date.ts'
import { useSentence } from './words.ts'

interface RowsProps {
  readonly lines: readonly Line[]
  readonly search: StatementSearch
  readonly group: Group
}

/** Lines of a statement as rows of its table. */
export function LineRows({ lines, ...rest }: RowsProps) {
  return lines.map((line) =>
    line.type === 'event' ? (
      <EventRow key={line.position} line={line} />
    ) : (
      <SumRow
        key={`${line.first_position} ${line.kind} ${line.token_id} ${line.model}`}
        line={line}
        {...rest}
      />
    ),
  )
}

const FIRM_ICON = { '& svg': { flexShrink: '0' } } as const

/** Leads to what it came from; administrators find the event itself of what names nothing. */
function EventRow(props: { line: EventLine; isInside?: boolean; hasBalance?: boolean }) {
  const { t } = useTranslation()
  const { line, isInside = false, hasBalance = true } = props
  const { sentence, reference } = useSentence()
  const isAdmin = useIsAdmin()
  const named = reference(line)
  const words =
    named === '' && isAdmin ? t('statement.event', { position: grouped(line.position, 0) }) : named
  return (
    <Row
      line={line}
      isInside={isInside}
      hasBalance={hasBalance}
      time={<Time seconds={Math.floor(line.at / 1000)} />}
      what={
        <>
          {sentence(line)} <ServiceTag line={line} />
          {words === '' ? null : (
            <Box fontSize="xs" color="fg.muted" overflowWrap="anywhere">
              <CauseLink source={line.kind} reference={line.reference} position={line.position}>
                {words}
              </CauseLink>
            </Box>
          )}
        </>
      }
    />
  )
}

/** A line that was booked late, or corrects an earlier one, says of when its service was. */
function ServiceTag({ line }: { line: EventLine }) {
  const { t } = useTranslation()
  const { late, service_at: at } = line.facts
  const date = at === null ? null : serviceDate(at, line.at)
  if (late) {
    const words = date === null ? t('statement.late') : t('statement.lateOf', { date: date.text })
    return <Tag tone="warning">{words}</Tag>
  }
  return date?.isOtherDay === true ? (
    <Tag>{t('statement.serviceOf', { date: date.text })}</Tag>
  ) : null
}

function SumRow({ line, search, group }: Omit<RowsProps, 'lines'> & { line: SumLine }) {
  const { t } = useTranslation()
  const { sentence } = useSentence()
  const [isOpen, setOpen] = useState(false)
  const isOfTime = group === 'day-model' || group === 'day' || group === 'month'
  const isOfCharges = line.kind === 'usage' || search.term === 'charges'
  const words = sentence(line, { group, term: search.term })
  return (
    <>
      <Row
        line={line}
        time={isOfTime ? dateOf(line.from / 1000).slice(0, group === 'month' ? 7 : 10) : ''}
        what={
          <chakra.button
            type="button"
            display="inline-flex"
            flexWrap="wrap"
            alignItems="center"
            columnGap="1"
            css={FIRM_ICON}
            textAlign="start"
            cursor="pointer"
            aria-expanded={isOpen}
            onClick={() => setOpen(!isOpen)}
          >
            {isOpen ? (
              <ChevronDown size={14} aria-hidden />
            ) : (
              <ChevronRight size={14} aria-hidden />
            )}
            {words}
            <chakra.span color="fg.muted">
              {t(isOfCharges ? 'statement.requests' : 'statement.events', {
                count: line.events,
              })}
            </chakra.span>
          </chakra.button>
        }
      />
      {isOpen ? <Inside line={line} search={search} group={group} /> : null}
    </>
  )
}

function Inside({ line, search, group }: Omit<RowsProps, 'lines'> & { line: SumLine }) {
  const { t } = useTranslation()
  const query = useInfiniteQuery(insideQuery(search, line, group))
  if (query.isPending || query.data === undefined) {
    return (
      <tr>
        <td colSpan={5}>
          {query.isPending ? (
            <SkeletonRows rows={Math.min(line.events, 5)} height="28px" />
          ) : (
            <ErrorState error={query.error} onRetry={() => void query.refetch()} />
          )}
        </td>
      </tr>
    )
  }
  const lines = query.data.pages.flatMap((page) => page.lines)
  const isRunning = hasRunningBalance(search, group)
  return (
    <>
      {lines.map((one) =>
        one.type === 'event' ? (
          <EventRow key={one.position} line={one} isInside hasBalance={isRunning} />
        ) : null,
      )}
      {isRunning || lines.length < 2 ? null : (
        <chakra.tr bg="bg.subtle">
          <chakra.td hideBelow="md" />
          <chakra.td colSpan={4} fontSize="xs" color="fg.muted">
            {t('statement.insideApart')}
          </chakra.td>
        </chakra.tr>
      )}
      {query.hasNextPage ? (
        <tr>
          <chakra.td colSpan={5}>
            <Flex justify="center" py="1">
              <BusyButton
                size="xs"
                variant="ghost"
                isBusy={query.isFetchingNextPage}
                onClick={() => void query.fetchNextPage()}
              >
                {t('statement.more')}
              </BusyButton>
            </Flex>
          </chakra.td>
        </tr>
      ) : null}
    </>
  )
}

/** Entries of a whole day or month follow each other without a gap; those of a model, a token or a kind do not. */
const hasRunningBalance = (search: StatementSearch, group: Group): boolean =>
  (group === 'day' || group === 'month') &&
  [search.term, search.token, search.model].every((filter) => filter === undefined)

function Row(props: {
  line: Line
  time: ReactNode
  what: ReactNode
  isInside?: boolean
  /** False where the balances of lines below each other do not follow from their amounts. */
  hasBalance?: boolean
}) {
  const { credit, debit } = props.line
  const balance = props.hasBalance === false ? null : props.line.balance
  return (
    <chakra.tr bg={props.isInside === true ? 'bg.subtle' : undefined}>
      <chakra.td whiteSpace="nowrap" color="fg.muted" hideBelow="md">
        {props.time}
      </chakra.td>
      <td>
        {props.time === '' ? null : (
          <chakra.div color="fg.muted" fontSize="xs" hideFrom="md" css={NOT_PRINTED}>
            {props.time}
          </chakra.div>
        )}
        {props.what}
      </td>
      <Amount value={debit} />
      <Amount value={credit} />
      <chakra.td textAlign="end" whiteSpace="nowrap" hideFrom="md" css={NOT_PRINTED}>
        {credit === debit ? '' : credit > debit ? '+' : '−'}
        <ExactMoney value={Math.abs(credit - debit)} isInColumn />
        {balance === null ? null : (
          <chakra.div color="fg.muted" fontSize="xs">
            {'= '}
            <ExactMoney value={balance} isInColumn />
          </chakra.div>
        )}
      </chakra.td>
      <chakra.td textAlign="end" hideBelow="md">
        {balance === null ? '' : <ExactMoney value={balance} isInColumn />}
      </chakra.td>
    </chakra.tr>
  )
}

/** Nothing stands where nothing moved. A phone has one amount with its sign instead of two columns. */
function Amount({ value }: { value: number }) {
  return (
    <chakra.td textAlign="end" hideBelow="md">
      {value === 0 ? '' : <ExactMoney value={value} isInColumn />}
    </chakra.td>
  )
}
