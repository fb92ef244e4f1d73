import { Box, chakra, Heading, Text } from '@chakra-ui/react'
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { Facts } from '../../parts/facts.tsx'
import { Money } from '../../parts/money.tsx'
import { exactQuota, grouped } from '../../parts/quota-format.ts'
import { useQuotaUnit } from '../../parts/quota.tsx'
import { ErrorState, SkeletonRows } from '../../parts/states.tsx'
import { AttemptList } from './attempt-list.tsx'
import type { Charge, ChargeExplanation, ChargeLine } from './log-details.ts'
import { UPSTREAM_FACTS } from './log-details.ts'
import { chargeQuery } from './queries.ts'

/** How many digits of a decimal text are worth showing. */
const DIGITS_MAX = 8

/**
 * The charge as the ledger has it: count × what one costs, each rate as the product of its named factors, the rounding,
 * what paid for it and the channels that were tried.
 */
export function ExplainCharge({ requestId }: { requestId: string }) {
  const { t } = useTranslation()
  const charge = useQuery(chargeQuery(requestId))
  if (charge.data === null) return null
  return (
    <Box>
      <Heading as="h3" size="sm" mb="2">
        {t('log.explain')}
      </Heading>
      {charge.data ? (
        <Explained charge={charge.data} />
      ) : charge.error ? (
        <ErrorState error={charge.error} onRetry={() => void charge.refetch()} />
      ) : (
        <SkeletonRows rows={6} height="24px" />
      )}
    </Box>
  )
}

function Explained({ charge }: { charge: Charge }) {
  const { t } = useTranslation()
  const { quotaPerUnit } = useQuotaUnit()
  const total = exactQuota(charge.amount, quotaPerUnit)
  const { attempts, arithmetic, upstream } = charge
  return (
    <>
      {arithmetic ? <Arithmetic explanation={arithmetic} charged={total.quota} /> : null}
      <Text mt="2" mb="3" color="fg.muted" fontSize="xs">
        {t('log.charged', total)}
      </Text>
      <Facts
        facts={[
          {
            label: t('log.fromHold'),
            value: charge.from_hold > 0 ? <Money value={charge.from_hold} /> : null,
          },
          {
            label: t('log.fromWallet'),
            value: charge.from_wallet > 0 ? <Money value={charge.from_wallet} /> : null,
          },
          {
            label: t('log.hold'),
            value: charge.hold ? (
              <chakra.span fontFamily="mono" fontSize="xs">
                {`${charge.hold} · ${charge.sequence}`}
              </chakra.span>
            ) : null,
          },
          {
            label: t('log.attempts'),
            value:
              attempts.length > 0 ? (
                <AttemptList attempts={attempts} />
              ) : charge.attempt_count > 1 ? (
                charge.attempt_count
              ) : null,
          },
          ...UPSTREAM_FACTS.map((name) => ({
            label: t(`log.upstream.${name}`),
            value: upstream?.[name],
          })),
        ]}
      />
    </>
  )
}

function Arithmetic({ explanation, charged }: { explanation: ChargeExplanation; charged: string }) {
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
  const factors = line.factors
    .map((factor) => `${t(`log.factor.${factor.name}`)} ${shortened(factor.value)}`)
    .join(' × ')
  return (
    <tr>
      <td>{t(`log.kind.${line.kind}`)}</td>
      <td>{grouped(line.count, 0)}</td>
      <td>
        <span data-hint={factors}>{shortened(line.rate)}</span>
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
