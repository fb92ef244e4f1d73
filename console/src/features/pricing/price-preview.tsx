import { Box, chakra, Text } from '@chakra-ui/react'
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { i18n } from '../../core/i18n.ts'
import { signedPercent } from '../../parts/quota-format.ts'
import { QuotaCell, useUnitName } from '../../parts/quota.tsx'
import { ErrorState, SkeletonRows } from '../../parts/states.tsx'
import { Time } from '../../parts/time.tsx'
import { type PriceEffect, previewQuery } from './price-mutations.ts'

/** Lines of each kind that a dialog has room for. */
const LINES = 5

/** The cost of the last week's charges at changed prices: in all, by model, by user. */
export function PricePreview({ options }: { options: Readonly<Record<string, string>> }) {
  const { t } = useTranslation()
  const unit = useUnitName()
  const preview = useQuery(previewQuery(options))
  if (!preview.data)
    return preview.error ? (
      <ErrorState error={preview.error} onRetry={() => void preview.refetch()} />
    ) : (
      <SkeletonRows rows={3} height="24px" />
    )
  const { effect } = preview.data
  if (effect.charges === 0) return <Text color="fg.muted">{t('pricing.previewNone')}</Text>
  const moved = (one: PriceEffect): boolean => one.quota !== one.repriced
  const lines = [
    { name: t('pricing.previewTotal'), effect },
    ...(effect.yesterday.is_complete
      ? [{ name: t('pricing.previewYesterday'), effect: effect.yesterday }]
      : []),
    ...effect.models
      .filter(moved)
      .slice(0, LINES)
      .map((one) => ({ name: one.model, effect: one })),
    ...effect.users
      .filter(moved)
      .slice(0, LINES)
      .map((one) => ({
        name: t('pricing.previewUser', { name: one.username || one.user_id }),
        effect: one,
      })),
  ]
  return (
    <Box as="section" aria-label={t('pricing.previewTitle')}>
      <Text fontWeight="500" mb="1">
        {t('pricing.previewTitle')}
      </Text>
      <Box overflowX="auto" tabIndex={0}>
        <chakra.table w="full" fontSize="sm" fontVariantNumeric="tabular-nums" css={LOOK}>
          <thead>
            <tr>
              <th scope="col">{t('pricing.previewOf')}</th>
              <th scope="col">{t('pricing.previewCharged', { unit })}</th>
              <th scope="col">{t('pricing.previewRepriced', { unit })}</th>
              <th scope="col">{t('pricing.previewChange')}</th>
            </tr>
          </thead>
          <tbody>
            {lines.map(({ name, effect: one }) => (
              <tr key={name}>
                <chakra.th scope="row" fontWeight="400" overflowWrap="anywhere">
                  {name}
                </chakra.th>
                <td>
                  <QuotaCell value={one.quota} />
                </td>
                <td>
                  <QuotaCell value={one.repriced} />
                </td>
                <td>{percentOf(one)}</td>
              </tr>
            ))}
          </tbody>
        </chakra.table>
      </Box>
      <Text fontSize="xs" color="fg.muted" mt="1">
        {t('pricing.previewFrom', { count: effect.charges })} <Time seconds={effect.from / 1000} />{' '}
        {effect.is_complete ? '' : t('pricing.previewPart')}{' '}
        {effect.unpriced > 0 ? t('pricing.previewUnpriced', { count: effect.unpriced }) : ''}
      </Text>
    </Box>
  )
}

const LOOK = {
  '& th, & td': { py: '1', pe: '3', textAlign: 'end' },
  '& tr > :first-child': { textAlign: 'start' },
  '& thead th': { color: 'fg.muted', fontWeight: '500' },
  // A phone has room for the figures below a name, not beside it.
  smDown: {
    '&, & thead, & tbody': { display: 'block' },
    '& tr': { display: 'grid', gridTemplateColumns: 'repeat(3, minmax(0, 1fr))' },
    '& th, & td': { py: '0', pe: '0' },
    '& tbody tr': { pt: '1.5' },
    '& tbody tr > :first-child': { gridColumn: '1 / -1' },
    '& thead tr > :first-child': { display: 'none' },
  },
} as const

/** A change with its sign, in percent; nothing where nothing was charged before. */
function percentOf({ quota, repriced }: PriceEffect): string {
  if (quota === 0) return repriced === 0 ? '0%' : '–'
  const percent = ((repriced - quota) / quota) * 100
  return `${signedPercent(percent, i18n.language)}%`
}
