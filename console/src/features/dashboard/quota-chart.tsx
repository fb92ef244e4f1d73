import { chakra, Flex } from '@chakra-ui/react'
import { useNavigate } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { lazy, useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import type { ChartTwin } from '../../parts/charts/chart.tsx'
import { Chart } from '../../parts/charts/chart.tsx'
import type { Mark } from '../../parts/charts/chart-marks.ts'
import { OTHER_MARK } from '../../parts/charts/chart-marks.ts'
import { Swatch } from '../../parts/charts/chart-swatch.tsx'
import { Money } from '../../parts/money.tsx'
import { QuotaCell, useQuotaUnit, useUnitName } from '../../parts/quota.tsx'
import { abbreviate, columnQuota, grouped } from '../../parts/quota-format.ts'
import type { Bucket } from './buckets.ts'
import type { ChartState } from './chart-state.ts'
import { LogLink, logSearch } from './log-link.tsx'
import type { RangeUse } from './queries.ts'
import type { ModelUse } from './series.ts'
import { greatest, OTHER, quotaPoints, totalUse } from './series.ts'

const StackedBars = lazy(() => import('../../parts/charts/chart-stacked-bars.tsx'))
const HEIGHT = 280

interface QuotaChartProps {
  readonly state: ChartState
  readonly use: RangeUse | undefined
  readonly buckets: readonly Bucket[]
  readonly models: readonly ModelUse[]
  readonly marks: ReadonlyMap<string, Mark>
  readonly username: string
}

/** Quota over time, stacked by model. Each part of a bar opens the log rows that it is made of. */
export function QuotaChart(props: QuotaChartProps) {
  const { t } = useTranslation()
  const { unit, quotaPerUnit } = useQuotaUnit()
  const navigate = useNavigate()
  const { named, other } = useMemo(() => greatest(props.models, 'quota'), [props.models])
  const points = useMemo(
    () => quotaPoints(props.buckets, new Set(named.map((use) => use.model))),
    [props.buckets, named],
  )
  const series = [
    ...named.map(({ model }) => ({
      key: model,
      label: model,
      mark: props.marks.get(model) ?? OTHER_MARK,
    })),
    ...(other > 0 ? [{ key: OTHER, label: t('chart.other'), mark: OTHER_MARK }] : []),
  ]
  const open = (start: string, model: string) => {
    const bucket = props.buckets.find((one) => String(one.start) === start)
    if (bucket)
      void navigate({ to: '/log', search: logSearch(filterOf(bucket, props.username, model)) })
  }
  const total = props.models.reduce((sum, use) => sum + use.quota, 0)
  return (
    <Chart
      {...props.state}
      title={t('dashboard.quotaChart')}
      subtitle={
        <>
          {t('dashboard.total')} <Money value={total} />
        </>
      }
      height={HEIGHT}
      twin={useTwin(props)}
    >
      <StackedBars
        label={t('dashboard.quotaChart')}
        height={HEIGHT}
        series={series}
        points={points}
        scale={unit === 'currency' ? quotaPerUnit : 1}
        formatAxis={(value) => (unit === 'currency' ? dollars(value) : abbreviate(value))}
        formatValue={(value) =>
          `${unit === 'currency' ? '$' : ''}${columnQuota(value, unit, quotaPerUnit)}`
        }
        totalLabel={t('dashboard.total')}
        onOpen={open}
      />
      <Legend named={named} other={other} {...props} />
    </Chart>
  )
}

function Legend(props: QuotaChartProps & { named: readonly ModelUse[]; other: number }) {
  const { t } = useTranslation()
  const { use, username } = props
  const range = use ? { start: use.start, end: use.end } : {}
  return (
    <Flex as="ul" listStyleType="none" wrap="wrap" columnGap="4" rowGap="1" pt="3" fontSize="xs">
      {props.named.map(({ model, quota }) => (
        <Entry key={model} mark={props.marks.get(model) ?? OTHER_MARK} quota={quota}>
          <LogLink filter={{ ...range, model, ...(username ? { username } : {}) }}>{model}</LogLink>
        </Entry>
      ))}
      {props.other > 0 ? (
        <Entry mark={OTHER_MARK} quota={props.other}>
          {t('chart.other')}
        </Entry>
      ) : null}
    </Flex>
  )
}

function Entry(props: { mark: Mark; quota: number; children: ReactNode }) {
  return (
    <chakra.li display="flex" gap="1.5" alignItems="center" minW="0">
      <Swatch mark={props.mark} />
      {props.children}
      <chakra.span color="fg.muted">
        <Money value={props.quota} />
      </chakra.span>
    </chakra.li>
  )
}

function useTwin({ buckets, username }: QuotaChartProps): () => ChartTwin {
  const { t } = useTranslation()
  const unit = useUnitName()
  return () => ({
    columns: [
      { label: t('dashboard.time') },
      { label: t('dashboard.quotaIn', { unit }), align: 'end' },
      { label: t('dashboard.callCount'), align: 'end' },
      { label: t('dashboard.tokens'), align: 'end' },
    ],
    rows: buckets.toReversed().map((bucket) => {
      const use = totalUse(bucket.rows)
      return {
        key: String(bucket.start),
        cells: [
          <LogLink key="time" filter={filterOf(bucket, username)}>
            {bucket.label}
          </LogLink>,
          <QuotaCell key="quota" value={use.quota} />,
          grouped(use.count, 0),
          grouped(use.tokens, 0),
        ],
      }
    }),
  })
}

function filterOf(bucket: Bucket, username: string, model = '') {
  return {
    start: bucket.start,
    end: bucket.end - 1,
    ...(model ? { model } : {}),
    ...(username ? { username } : {}),
  }
}

/** Axis amounts: whole dollars from a hundred on, else as many digits as tell ticks apart. */
function dollars(value: number): string {
  return `$${value.toLocaleString('en-US', { maximumSignificantDigits: value >= 100 ? 6 : 3 })}`
}
