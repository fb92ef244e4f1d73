import { chakra } from '@chakra-ui/react'
import { useCallback, useContext, useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import type { PriceKey } from '../../core/options.ts'
import { Charges } from '../../parts/charges.tsx'
import { UNKNOWN } from '../../parts/money.tsx'
import { QuotaCell, useUnitName, WithoutHeader } from '../../parts/quota.tsx'
import { columnHelper, TIME_WIDTH } from '../../parts/table/table-features.ts'
import { Tag, type Tone } from '../../parts/tag.tsx'
import { Time } from '../../parts/time.tsx'
import { ChargesLink } from './charges-link.tsx'
import type { PriceRevision } from './queries.ts'

const column = columnHelper<PriceRevision>()

const TONES: Record<PriceRevision['status'], Tone> = {
  planned: 'info',
  'in-force': 'good',
  past: 'neutral',
  withdrawn: 'warning',
}

/** How a revision stands. */
export function RevisionStatus({ revision }: { revision: PriceRevision }) {
  const { t } = useTranslation()
  return <Tag tone={TONES[revision.status]}>{t(`prices.status_${revision.status}`)}</Tag>
}

/** Which revision: its number, or that it is what Tollgate comes with. */
export function useRevisionName() {
  const { t } = useTranslation()
  return useCallback(
    ({ number }: Pick<PriceRevision, 'number'>): string =>
      number === 0 ? t('prices.defaults') : t('prices.numbered', { number }),
    [t],
  )
}

/** The columns of the list of revisions. */
export function usePriceColumns() {
  const { t } = useTranslation()
  const unit = useUnitName()
  const nameOf = useRevisionName()
  return useMemo(
    () =>
      column.columns([
        column.accessor('number', {
          header: t('prices.revision'),
          meta: { width: 110, phone: 'title' },
          cell: ({ row }) => <chakra.span fontWeight="500">{nameOf(row.original)}</chakra.span>,
        }),
        column.accessor('status', {
          header: t('prices.status'),
          meta: { width: 98, phone: 'meta' },
          cell: ({ row }) => <RevisionStatus revision={row.original} />,
        }),
        column.display({
          id: 'from',
          header: t('prices.from'),
          meta: { width: TIME_WIDTH, phone: 'meta' },
          cell: ({ row: { original: one } }) => (
            <MomentOrNone at={one.in_force_at ?? one.effective_at} />
          ),
        }),
        column.accessor('until', {
          header: t('prices.until'),
          meta: { width: TIME_WIDTH },
          cell: ({ row }) => <MomentOrNone at={row.original.until} />,
        }),
        column.display({
          id: 'changes',
          header: t('prices.changes'),
          meta: { width: 160, share: 1, phone: 'meta' },
          cell: ({ row: { original: one } }) =>
            one.entries === 0 ? (
              <Nothing />
            ) : (
              t('prices.changesOf', {
                count: one.entries,
                keys: one.keys
                  .map((key) => t(`prices.key_${key as PriceKey}`))
                  .join(t('prices.comma')),
              })
            ),
        }),
        column.accessor('username', {
          header: t('prices.by'),
          meta: { width: 84, share: 1, phone: 'meta' },
          cell: ({ row }) => row.original.username || <Nothing />,
        }),
        column.accessor('note', {
          header: t('prices.note'),
          meta: { width: 90, share: 3, isWrapping: true, phone: 'meta' },
          cell: ({ row }) => row.original.note,
        }),
        column.accessor('charges', {
          header: t('prices.charges'),
          meta: { width: 88, align: 'end', phone: 'meta' },
          cell: ({ row: { original: one } }) => (
            <ChargesLink revision={one}>
              <Charges value={one.charges} />
            </ChargesLink>
          ),
        }),
        column.accessor('quota', {
          header: t('prices.charged', { unit }),
          meta: { width: 120, align: 'end', phone: 'value' },
          cell: ({ row }) => <QuotaCell value={row.original.quota} />,
        }),
      ]),
    [t, unit, nameOf],
  )
}

function MomentOrNone({ at }: { at: number | null }) {
  return at === null ? <Nothing /> : <Time seconds={at / 1000} />
}

/** A dash under a header, and nothing where no header says what there is none of. */
function Nothing() {
  return useContext(WithoutHeader) ? null : UNKNOWN
}
