import { Box, chakra } from '@chakra-ui/react'
import { useTranslation } from 'react-i18next'
import { dollarsPerMillion } from '../dollars.ts'
import { useQuotaUnit } from '../quota.tsx'
import { grouped } from '../quota-format.ts'
import type { ChargeExplanation, ChargeLine } from './charge.ts'

/** Lines that count calls, a price for a thousand of which is among their factors; all others count tokens. */
const CALLS: ReadonlySet<ChargeLine['kind']> = new Set(['web-search', 'file-search', 'call'])

/** How many digits of a decimal text are worth showing. */
const DIGITS_MAX = 8

/** A charge line by line: count × what one costs, each rate as the product of its named factors, and the one rounding. */
export function Arithmetic({
  explanation,
  charged,
}: {
  explanation: ChargeExplanation
  charged: string
}) {
  const { t } = useTranslation()
  return (
    <Box overflowX="auto" tabIndex={0} as="section" aria-label={t('log.explain')}>
      <chakra.table
        w="full"
        fontSize="xs"
        fontVariantNumeric="tabular-nums"
        css={{
          '& th, & td': { py: '1.5', pe: '3', textAlign: 'end', whiteSpace: 'nowrap' },
          '& th:first-of-type, & td:first-of-type': { textAlign: 'start' },
          '& th': { color: 'fg.muted', fontWeight: '500' },
          '& tr': { borderBottomWidth: '1px', borderColor: 'border.muted' },
        }}
      >
        <thead>
          <tr>
            <th scope="col">{t('log.lineKind')}</th>
            <th scope="col">{t('log.lineCount')}</th>
            <th scope="col">{t('log.lineRate')}</th>
            <th scope="col">{t('log.lineQuota')}</th>
          </tr>
        </thead>
        <tbody>
          {explanation.lines.map((line) => (
            <Line key={line.kind} line={line} />
          ))}
          <tr>
            <td colSpan={3}>{t('log.exact')}</td>
            <td>{shortened(explanation.exact)}</td>
          </tr>
          <tr>
            <td colSpan={3}>{t(`log.rounding_${explanation.rounding}`)}</td>
            <chakra.td fontWeight="650">{charged}</chakra.td>
          </tr>
        </tbody>
      </chakra.table>
    </Box>
  )
}

function Line({ line }: { line: ChargeLine }) {
  const { t } = useTranslation()
  const { quotaPerUnit } = useQuotaUnit()
  const factors = line.factors
    .map((factor) => `${t(`log.factor.${factor.name}`)} ${shortened(factor.value)}`)
    .join(' × ')
  return (
    <tr>
      <td>{t(`log.kind.${line.kind}`)}</td>
      <td>{grouped(line.count, 0)}</td>
      <td>
        <span data-hint={factors}>{shortened(line.rate)}</span>
        {CALLS.has(line.kind) ? null : (
          <chakra.span display="block">
            {t('log.ratePerMillion', {
              price: dollarsPerMillion(Number(line.rate), quotaPerUnit),
            })}
          </chakra.span>
        )}
        <chakra.span display="block" color="fg.muted" whiteSpace="normal">
          {factors}
        </chakra.span>
        {line.pricedAs ? (
          <chakra.span display="block" color="fg.muted" whiteSpace="normal">
            {t('log.pricedAs', { kind: t(`log.kind.${line.pricedAs}`) })}
          </chakra.span>
        ) : null}
      </td>
      <td>{shortened(line.quota)}</td>
    </tr>
  )
}

function shortened(decimal: string): string {
  const [whole = '0', fraction = ''] = decimal.split('.')
  const kept = fraction.slice(0, DIGITS_MAX).replace(/0+$/, '')
  const text = kept === '' ? whole : `${whole}.${kept}`
  return fraction.length > DIGITS_MAX ? `${text}…` : text
}
