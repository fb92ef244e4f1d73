import { Box, Button, chakra } from '@chakra-ui/react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { PriceKey } from '../../core/options.ts'
import { useQuotaUnit } from '../../parts/quota.tsx'
import { dollarsPerMillion } from '../../parts/dollars.ts'
import type { PriceEntry } from './queries.ts'

/** Lines shown before somebody asks for all. */
const LINES = 50

/** Price changes, model by model: old and new. */
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
          '& td:nth-of-type(n+2), & th:nth-of-type(n+3)': { textAlign: 'end' },
        }}
      >
        <thead>
          <tr>
            <th scope="col">{t('prices.name')}</th>
            <th scope="col">{t('prices.key')}</th>
            <th scope="col">{t('prices.old')}</th>
            <th scope="col">{t('prices.new')}</th>
          </tr>
        </thead>
        <tbody>
          {shown.map(({ key, name, from, to }) => (
            <tr key={`${key} ${name}`}>
              <chakra.th scope="row" fontWeight="500" overflowWrap="anywhere">
                {name || '–'}
              </chakra.th>
              <chakra.td css={{ '&&': { textAlign: 'start' } }}>
                {t(`prices.key_${key as PriceKey}`)}
              </chakra.td>
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
