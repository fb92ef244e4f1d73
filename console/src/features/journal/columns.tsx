import { chakra, Flex } from '@chakra-ui/react'
import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import { Actor } from '../../parts/actor.tsx'
import { Filtering } from '../../parts/filtering.tsx'
import { LedgerAccountChip } from '../../parts/ledger-account.tsx'
import { grouped } from '../../parts/quota-format.ts'
import { QuotaCell, useUnitName } from '../../parts/quota.tsx'
import { columnHelper, TIME_WIDTH } from '../../parts/table/table-features.ts'
import { Tag } from '../../parts/tag.tsx'
import { Time } from '../../parts/time.tsx'
import type { JournalSearch } from './filters.ts'
import { type JournalLine, postedName } from './journal-line.ts'

type FilterBy = (change: Partial<JournalSearch>) => void
const column = columnHelper<JournalLine>()

/** The journal's columns; a click on a value hands `filterBy` the filter that it stands for. */
export function useJournalColumns(filterBy: FilterBy) {
  const { t } = useTranslation()
  const unit = useUnitName()
  return useMemo(
    () =>
      column.columns([
        column.accessor('position', {
          header: t('audit.position'),
          meta: { width: 88, align: 'end' },
          cell: ({ row: { original: line } }) => (
            <Filtering
              value={String(line.position)}
              onChoose={() => filterBy({ fromPosition: line.position, toPosition: line.position })}
            >
              {grouped(line.position, 0)}
            </Filtering>
          ),
        }),
        column.accessor('at', {
          id: 'time',
          header: t('audit.time'),
          meta: { width: TIME_WIDTH, phone: 'meta' },
          cell: ({ row }) => <Time seconds={row.original.at / 1000} />,
        }),
        column.display({
          id: 'event',
          header: t('audit.type'),
          meta: { width: 118, phone: 'title' },
          cell: ({ row }) => <Kind line={row.original} />,
        }),
        column.display({
          id: 'posting',
          header: t('audit.posting'),
          meta: { width: 196, phone: 'meta' },
          cell: ({ row: { original: line } }) => (
            <Flex as="span" gap="1.5" align="center">
              <LedgerAccountChip
                account={line.from_account}
                onChoose={(account) => filterBy({ account })}
              />
              <chakra.span aria-hidden color="fg.muted">
                {'→'}
              </chakra.span>
              <LedgerAccountChip
                account={line.to_account}
                onChoose={(account) => filterBy({ account })}
              />
            </Flex>
          ),
        }),
        column.accessor('amount', {
          header: t('audit.amount', { unit }),
          meta: { width: 112, align: 'end', phone: 'value' },
          cell: ({ row }) => <QuotaCell value={row.original.amount} />,
        }),
        column.display({
          id: 'user',
          header: t('audit.user'),
          meta: { width: 104, isWrapping: true, phone: 'meta' },
          cell: ({ row: { original: line } }) => (
            <Filtering
              value={t('audit.userLabel', { id: line.user_id, name: line.username })}
              onChoose={() => filterBy({ user: line.user_id })}
            />
          ),
        }),
        column.accessor('actor', {
          header: t('audit.actor'),
          meta: { width: 80 },
          cell: ({ row: { original: line } }) => (
            <Filtering value={line.actor} onChoose={() => filterBy({ actor: line.actor })}>
              <Actor of={line} />
            </Filtering>
          ),
        }),
        column.display({
          id: 'reference',
          header: t('audit.reference'),
          meta: { width: 244, isGrowing: true, isWrapping: true },
          cell: ({ row }) => <Reference line={row.original} filterBy={filterBy} />,
        }),
      ]),
    [t, unit, filterBy],
  )
}

function Kind({ line }: { line: JournalLine }) {
  const { t } = useTranslation()
  const name = postedName(t, line)
  return line.late ? (
    <>
      {name} <Tag tone="warning">{t('audit.late')}</Tag>
    </>
  ) : (
    name
  )
}

/** All that the posting names, one after the other. */
function Reference({ line, filterBy }: { line: JournalLine; filterBy: FilterBy }) {
  const channel = `${line.channel} ${line.channel_name}`.trim()
  return (
    <chakra.span css={REFERENCE}>
      {line.model ? (
        <Filtering value={line.model} onChoose={() => filterBy({ model: line.model })} />
      ) : null}
      {line.channel ? (
        <Filtering value={channel} onChoose={() => filterBy({ channel: line.channel })} />
      ) : null}
      {line.token_id ? (
        <Filtering
          value={line.token_name || String(line.token_id)}
          onChoose={() => filterBy({ token: line.token_id })}
        />
      ) : null}
      {line.request_id ? (
        <Filtering
          value={line.request_id}
          onChoose={() => filterBy({ request: line.request_id })}
        />
      ) : (
        line.note || line.reason
      )}
    </chakra.span>
  )
}

/** In a line of text, so that it goes on in the second line wherever the first ends. */
const REFERENCE = {
  '& > button': { display: 'inline', textAlign: 'start', me: '2' },
  // The request's id, which has no place of its own to break at.
  '& > button:last-of-type': { wordBreak: 'break-all' },
} as const
