import { Box, Button, chakra } from '@chakra-ui/react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { PriceKey } from '../../core/options.ts'
import { useQuotaUnit } from '../../parts/quota.tsx'
import { dollarsPerMillion } from '../../parts/dollars.ts'
import type { PriceEntry } from './queries.ts'

/** Lines shown before somebody asks for all. */
const LINES = 50

/** Price changes, model by model: old and new. Narrow enough for a panel beside the list: the new price is in view. */
export function ChangeTable({ changes }: { changes: readonly PriceEntry[] }) {
  const { t } = useTranslation()
  const [isWhole, setWhole] = useState(false)
  const shown = isWhole ? changes : changes.slice(0, LINES)
  return (
    <Box overflowX="auto" tabIndex={0} as="section" aria-label={t('prices.changes')}>
      <chakra.table
        w="full"
        fontSize="sm"
        fontVariantNumeric="tabular-nums"
        css={{
          '& th, & td': { py: '1.5', pe: '3', textAlign: 'start', verticalAlign: 'top' },
          '& thead th': { color: 'fg.muted', fontWeight: '500', whiteSpace: 'nowrap' },
          '& tr': { borderBottomWidth: '1px', borderColor: 'border.muted' },
          '& td, & thead th:nth-of-type(n+2)': { textAlign: 'end' },
          '& :is(td, th):last-of-type': { pe: '0' },
        }}
      >
        <thead>
          <tr>
            <th scope="col">{t('prices.name')}</th>
            <th scope="col">{t('prices.old')}</th>
            <th scope="col">{t('prices.new')}</th>
          </tr>
        </thead>
        <tbody>
          {shown.map(({ key, name, from, to }) => (
            <tr key={`${key} ${name}`}>
              <chakra.th scope="row" fontWeight="500" overflowWrap="anywhere">
                {name || '–'}
                <chakra.div color="fg.muted" fontSize="xs" fontWeight="400">
                  {t(`prices.key_${key as PriceKey}`)}
                </chakra.div>
              </chakra.th>
              <td>
                <Value priceKey={key} text={from} />
              </td>
              <td>
                <Value priceKey={key} text={to} />
              </td>
            </tr>
          ))}
        </tbody>
      </chakra.table>
      {shown.length < changes.length ? (
        <Button size="xs" variant="ghost" mt="2" onClick={() => setWhole(true)}>
          {t('prices.showAll', { n: changes.length })}
        </Button>
      ) : null}
    </Box>
  )
}

/** A value as it is stored; under a model's ratio, what a million input tokens cost by it. */
function Value({ priceKey, text }: { priceKey: string; text: string | null }) {
  const { t } = useTranslation()
  const { quotaPerUnit } = useQuotaUnit()
  if (text === null) return t('prices.noEntry')
  if (priceKey !== 'ModelRatio') return text
  return (
    <>
      {text}
      <chakra.div color="fg.muted" fontSize="xs" whiteSpace="nowrap">
        {t('prices.perMillion', { price: dollarsPerMillion(Number(text), quotaPerUnit) })}
      </chakra.div>
    </>
  )
}
