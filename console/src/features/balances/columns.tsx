import { Text } from '@chakra-ui/react'
import { useContext, useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import { EventLink } from '../../parts/event-link.tsx'
import { UNKNOWN } from '../../parts/money.tsx'
import { QuotaCell, useUnitName, WithoutHeader } from '../../parts/quota.tsx'
import { StatementLink } from '../../parts/statement-link.tsx'
import { columnHelper } from '../../parts/table/table-features.ts'
import type { AccountBalance } from './queries.ts'

const column = columnHelper<AccountBalance>()
/** The statement that a balance opens goes so far back. */
const STATEMENT_SECONDS = 30 * 86_400

/** The columns of balances as of a moment (unix seconds; undefined = now or a position). */
export function useBalanceColumns(moment: number | undefined) {
  const { t } = useTranslation()
  const unit = useUnitName()
  return useMemo(() => {
    const part =
      moment === undefined ? {} : { start: Math.max(0, moment - STATEMENT_SECONDS), end: moment }
    const amount = (name: 'held' | 'available' | 'affiliate') =>
      column.accessor(name, {
        header: t(`audit.${name}In`, { unit }),
        meta: { width: 140, align: 'end', sortBy: (row: AccountBalance) => row[name] },
        cell: ({ row }) => <QuotaCell value={row.original[name]} />,
      })
    return column.columns([
      column.accessor('user_id', {
        header: t('audit.user'),
        meta: { width: 140, isGrowing: true, phone: 'title' },
        cell: ({ row: { original: account } }) => (
          <>
            <Text as="span" color="fg.muted">{`${account.user_id} `}</Text>
            {account.username}
          </>
        ),
      }),
      column.accessor('posted', {
        header: t('audit.postedIn', { unit }),
        meta: {
          width: 150,
          align: 'end',
          phone: 'value',
          sortBy: (row: AccountBalance) => row.posted,
        },
        cell: ({ row: { original: account } }) => (
          <StatementLink user={account.user_id} part={part}>
            <QuotaCell value={account.posted} />
          </StatementLink>
        ),
      }),
      amount('held'),
      amount('available'),
      amount('affiliate'),
      column.accessor('position', {
        header: t('audit.lastEntry'),
        meta: { width: 120, align: 'end', phone: 'meta' },
        cell: ({ row: { original: account } }) =>
          account.position < 0 ? UNKNOWN : <LastEntry position={account.position} />,
      }),
    ])
  }, [t, unit, moment])
}

/** On a phone, where no header says which number this is, with its name. */
function LastEntry({ position }: { position: number }) {
  const { t } = useTranslation()
  const isWithoutHeader = useContext(WithoutHeader)
  return (
    <>
      {isWithoutHeader ? `${t('audit.lastEntry')} ` : ''}
      <EventLink position={position} />
    </>
  )
}
