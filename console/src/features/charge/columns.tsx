import { Grid, Heading, Text } from '@chakra-ui/react'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { useIsAdmin } from '../../core/session.ts'
import { type Charge, UPSTREAM_FACTS } from '../../parts/charge/charge.ts'
import type { Fact } from '../../parts/facts.tsx'
import { Facts } from '../../parts/facts.tsx'
import { Money } from '../../parts/money.tsx'
import { Panel } from '../../parts/page.tsx'
import { grouped } from '../../parts/quota-format.ts'
import { roundedBy } from './rounding.ts'

/** Members of a price in the order in which they are shown. */
const PRICE_FACTS = [
  'modelRatio',
  'completionRatio',
  'cacheRatio',
  'cacheWriteRatio',
  'cacheWrite1hRatio',
  'cachedAudioRatio',
  'cachedImageRatio',
  'audioRatio',
  'audioCompletionRatio',
  'imageOutRatio',
  'tierFactor',
  'speedFactor',
  'geoFactor',
  'longInFactor',
  'longOutFactor',
  'callPrice',
  'quotaPerUnit',
  'groupRatio',
  'bookRevision',
] as const

/** Prices that no event has set are the built-in ones. */
const isByDefault = (name: (typeof PRICE_FACTS)[number], { price }: Charge): boolean =>
  name === 'bookRevision' && Number(price.bookRevision) < 0

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
        <Facts
          facts={[
            { label: t('charge.group'), value: charge.group },
            ...PRICE_FACTS.filter((name) => !isByDefault(name, charge)).map((name) => ({
              label: t(`charge.price_${name}`),
              value: textOf(charge.price[name]),
            })),
          ]}
        />
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

function Said({ charge }: { charge: Charge }) {
  const { t } = useTranslation()
  const isAdmin = useIsAdmin()
  const facts = UPSTREAM_FACTS.flatMap((name): Fact[] => {
    const value = charge.upstream?.[name] ?? ''
    return value === '' ? [] : [{ label: t(`log.upstream.${name}`), value }]
  })
  if (facts.length > 0) return <Facts facts={facts} />
  return (
    <Text color="fg.muted" fontSize="sm">
      {t(isAdmin ? 'charge.saidNothing' : 'charge.saidHidden')}
    </Text>
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
