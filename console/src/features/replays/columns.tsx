import { chakra } from '@chakra-ui/react'
import { useContext, useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import { Charges } from '../../parts/charges.tsx'
import { UNKNOWN } from '../../parts/money.tsx'
import { QuotaCell, useUnitName, WithoutHeader } from '../../parts/quota.tsx'
import { columnHelper } from '../../parts/table/table-features.ts'
import { Time } from '../../parts/time.tsx'
import type { Replay } from '../../parts/replays/replay-queries.ts'
import { PricesOf, ReplayStatus } from './replay-status.tsx'

const column = columnHelper<Replay>()

/** The columns of the list of replays. */
export function useReplayColumns() {
  const { t } = useTranslation()
  const unit = useUnitName()
  return useMemo(
    () =>
      column.columns([
        column.accessor('name', {
          header: t('replays.name'),
          meta: { width: 170, share: 4, phone: 'title', sortBy: (one: Replay) => one.name },
          cell: ({ row }) => <chakra.span fontWeight="500">{row.original.name}</chakra.span>,
        }),
        column.accessor('status', {
          header: t('replays.status'),
          meta: { width: 116, phone: 'meta', sortBy: (one: Replay) => one.status },
          cell: ({ row }) => <ReplayStatus replay={row.original} />,
        }),
        column.accessor('from', {
          header: t('replays.from'),
          meta: { width: 92, share: 1, isWrapping: true, sortBy: (one: Replay) => one.from },
          cell: ({ row }) => <Time seconds={row.original.from / 1000} />,
        }),
        column.accessor('to', {
          header: t('replays.to'),
          meta: { width: 92, share: 1, isWrapping: true, sortBy: (one: Replay) => one.to },
          cell: ({ row }) => <Time seconds={row.original.to / 1000} />,
        }),
        column.accessor('prices', {
          header: t('replays.prices'),
          meta: { width: 128, phone: 'meta' },
          cell: ({ row }) => <PricesOf replay={row.original} />,
        }),
        column.accessor('charges', {
          header: t('replays.charges'),
          meta: {
            align: 'end',
            width: 84,
            phone: 'meta',
            sortBy: (one: Replay) => one.charges,
          },
          cell: ({ row }) => <Charges value={row.original.charges} />,
        }),
        column.accessor('quota', {
          header: t('replays.quotaIn', { unit }),
          meta: { align: 'end', width: 96, phone: 'value', sortBy: (one: Replay) => one.quota },
          cell: ({ row }) => <QuotaCell value={row.original.quota} />,
        }),
        column.accessor('repriced', {
          header: t('replays.repricedIn', { unit }),
          meta: {
            align: 'end',
            width: 96,
            phone: 'value',
            // An arrow leads to it from what was charged.
            isNamed: true,
            sortBy: (one: Replay) => one.repriced,
          },
          cell: ({ row }) => <Repriced replay={row.original} />,
        }),
        column.accessor('owner_name', {
          header: t('replays.owner'),
          meta: { width: 80, sortBy: (one: Replay) => one.owner_name },
        }),
        column.accessor('created_at', {
          header: t('replays.created'),
          meta: { width: 92, share: 1, isWrapping: true, sortBy: (one: Replay) => one.created_at },
          cell: ({ row }) => <Time seconds={row.original.created_at / 1000} />,
        }),
      ]),
    [t, unit],
  )
}

/** The amount at other prices; on a phone, it stands behind the one that was charged. */
function Repriced({ replay }: { replay: Replay }) {
  const isWithoutHeader = useContext(WithoutHeader)
  if (replay.prices === 'as-charged') return isWithoutHeader ? null : UNKNOWN
  const amount = <QuotaCell value={replay.repriced} />
  return isWithoutHeader ? (
    <>
      {' → '}
      {amount}
    </>
  ) : (
    amount
  )
}
