import { Grid, Heading, Stack, Text } from '@chakra-ui/react'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import type { Charge } from '../../parts/charge/charge.ts'
import { Facts } from '../../parts/facts.tsx'
import { Money } from '../../parts/money.tsx'
import { Panel } from '../../parts/page.tsx'
import { grouped } from '../../parts/quota-format.ts'
import { isPartOf, PRICE_FACTS } from './price-facts.ts'
import { PriceSource } from './price-source.tsx'
import { roundedBy } from './rounding.ts'
import { Said } from './said.tsx'

/** From what upstream said to what was charged, in four steps. */
export function ChargeColumns({ charge }: { charge: Charge }) {
  const { t } = useTranslation()
  return (
    <Grid
      gap="3"
      templateColumns={{
        base: 'minmax(0, 1fr)',
        sm: 'repeat(2, minmax(0, 1fr))',
        xl: 'repeat(4, minmax(0, 1fr))',
      }}
    >
      <Column title={t('charge.said')}>
        <Said charge={charge} />
      </Column>
      <Column title={t('charge.counted')}>
        <Counted charge={charge} />
      </Column>
      <Column title={t('charge.price')}>
        <Stack gap="3">
          <Facts
            facts={[
              { label: t('charge.group'), value: charge.group },
              ...PRICE_FACTS.filter((name) => isPartOf(charge, name)).map((name) => ({
                label: t(`charge.price_${name}`),
                value: textOf(charge.price[name]),
              })),
            ]}
          />
          <PriceSource requestId={charge.request_id} />
        </Stack>
      </Column>
      <Column title={t('charge.amount')}>
        <Facts
          facts={[
            { label: t('charge.exact'), value: charge.arithmetic?.exact },
            {
              label: t('charge.rounding'),
              value: charge.arithmetic
                ? t(`charge.rounding_${charge.arithmetic.rounding}`, {
                    by: roundedBy(charge.amount, charge.arithmetic.exact),
                  })
                : null,
            },
            { label: t('charge.total'), value: <Money value={charge.amount} /> },
            {
              label: t('log.fromHold'),
              value: charge.from_hold > 0 ? <Money value={charge.from_hold} /> : null,
            },
            {
              label: t('log.fromWallet'),
              value: charge.from_wallet > 0 ? <Money value={charge.from_wallet} /> : null,
            },
          ]}
        />
      </Column>
    </Grid>
  )
}

function Column({ title, children }: { title: string; children: ReactNode }) {
  return (
    <Panel p="4">
      <Heading as="h2" size="sm" mb="2">
        {title}
      </Heading>
      {children}
    </Panel>
  )
}

function Counted({ charge }: { charge: Charge }) {
  const { t } = useTranslation()
  const marks = [
    t(charge.estimated ? 'charge.estimated' : 'charge.reported'),
    charge.cancelled ? t('charge.cancelled') : '',
    charge.cut_short ? t('charge.cutShort') : '',
    charge.late ? t('charge.late') : '',
  ].filter(Boolean)
  return (
    <>
      <Facts
        facts={(charge.arithmetic?.lines ?? []).map((line) => ({
          label: t(`log.kind.${line.kind}`),
          value: grouped(line.count, 0),
        }))}
      />
      {marks.map((mark) => (
        <Text key={mark} mt="2" color="fg.muted" fontSize="xs">
          {mark}
        </Text>
      ))}
    </>
  )
}

/** Whole numbers with their thousands apart, anything else as it is. */
function textOf(value: unknown): string | null {
  if (typeof value !== 'string' && typeof value !== 'number') return null
  const text = String(value)
  return /^\d+$/u.test(text) ? grouped(Number(text), 0) : text
}
