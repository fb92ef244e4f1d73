import { chakra, Flex } from '@chakra-ui/react'
import { useNavigate } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { memo, useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import type { ChartTwin } from '../../parts/charts/chart.tsx'
import { Chart } from '../../parts/charts/chart.tsx'
import type { StackedPoint, StackedSeries } from '../../parts/charts/bars.ts'
import { StackedBars } from '../../parts/charts/chart-stacked-bars.tsx'
import type { Mark } from '../../parts/charts/chart-marks.ts'
import { OTHER_MARK } from '../../parts/charts/chart-marks.ts'
import { Swatch } from '../../parts/charts/chart-swatch.tsx'
import { Money } from '../../parts/money.tsx'
import { QuotaCell, useQuotaUnit, useUnitName } from '../../parts/quota.tsx'
import { abbreviateRound, columnQuota, grouped } from '../../parts/quota-format.ts'
import type { Bucket } from './buckets.ts'
import { ticksOf } from './buckets.ts'
import type { Granularity } from './filters.ts'
import type { LogFilter } from './log-link.tsx'
import { LogLink, logSearch } from './log-link.tsx'
import type { RangeUse } from './queries.ts'
import type { ModelUse } from './series.ts'
import { greatest, OTHER, quotaPoints, totalUse } from './series.ts'

const HEIGHT = 280

interface QuotaChartProps {
  /** Undefined while it is not known. */
  readonly use: RangeUse | undefined
  readonly granularity: Granularity
  readonly buckets: readonly Bucket[]
  readonly models: readonly ModelUse[]
  readonly marks: ReadonlyMap<string, Mark>
  readonly username: string
}

/**
 * Quota over time, stacked by model. Each part of a bar opens the log rows that it is made of. Remembered: it is the
 * dearest part of its page to draw, and other figures come after its own.
 */
export const QuotaChart = memo(function QuotaChart(props: QuotaChartProps) {
  const { t } = useTranslation()
  const { unit, quotaPerUnit } = useQuotaUnit()
  const navigate = useNavigate()
  const { named, other } = useMemo(() => greatest(props.models, 'quota'), [props.models])
  const points = useMemo(
    () => quotaPoints(props.buckets, new Set(named.map((use) => use.model))),
    [props.buckets, named],
  )
  const ticks = useMemo(
    () => ticksOf(props.buckets, props.granularity),
    [props.buckets, props.granularity],
  )
  const series = [
    ...named.map(({ model }) => ({
      key: model,
      label: model,
      mark: props.marks.get(model) ?? OTHER_MARK,
    })),
    ...(other > 0 ? [{ key: OTHER, label: t('chart.other'), mark: OTHER_MARK }] : []),
  ]
  const open = (start: string, model?: string) => {
    const bucket = props.buckets.find((one) => String(one.start) === start)
    if (bucket) void navigate({ to: '/log', search: logSearch(filterOf(props, bucket, model)) })
  }
  const total = props.use ? totalUse(props.use.rows).quota : undefined
  return (
    <Chart
      isLoading={!props.use}
      title={t('dashboard.quotaChart')}
      subtitle={
        <>
          {t('dashboard.total')} <Money value={total} />
        </>
      }
      height={HEIGHT}
      twin={useTwin(props, points, series)}
      legend={<Legend named={named} other={other} {...props} />}
    >
      <StackedBars
        label={t('dashboard.quotaChart')}
        keysLabel={t('chart.keys', { title: t('dashboard.quotaChart') })}
        height={HEIGHT}
        series={series}
        points={points}
        ticks={ticks}
        scale={unit === 'currency' ? quotaPerUnit : 1}
        formatAxis={(value, digits) =>
          unit === 'currency' ? `$${grouped(value, digits)}` : abbreviateRound(value)
        }
        formatValue={(value) =>
          `${unit === 'currency' ? '$' : ''}${columnQuota(value, unit, quotaPerUnit)}`
        }
        totalLabel={t('dashboard.total')}
        onOpen={open}
      />
    </Chart>
  )
})

function Legend(props: QuotaChartProps & { named: readonly ModelUse[]; other: number }) {
  const { t } = useTranslation()
  const { use, username } = props
  const range = use ? { start: use.start, end: use.end } : {}
  return (
    <Flex as="ul" listStyleType="none" wrap="wrap" columnGap="4" pt="2" fontSize="xs" css={TARGETS}>
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

/** Tall enough for a finger. */
const TARGETS = { '& a': { lineHeight: '24px' } }

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

/** The figures of the bars, newest first: of all models together, and of each series. */
function useTwin(
  props: QuotaChartProps,
  points: readonly StackedPoint[],
  series: readonly StackedSeries[],
): () => ChartTwin {
  const { t } = useTranslation()
  const unit = useUnitName()
  return () => ({
    columns: [
      { label: t('dashboard.time') },
      { label: t('dashboard.quotaIn', { unit }), align: 'end' },
      ...series.map(({ label }) => ({ label, align: 'end' as const })),
    ],
    rows: props.buckets
      .map((bucket, index) => {
        const point = points[index]
        const cell = (key: string | undefined, value: number) =>
          value === 0 ? (
            UNUSED
          ) : (
            <LogLink key={key ?? 'all'} filter={filterOf(props, bucket, key)}>
              <QuotaCell value={value} />
            </LogLink>
          )
        return {
          key: String(bucket.start),
          cells: [
            bucket.label,
            cell(undefined, point?.total ?? 0),
            ...series.map(({ key }) => cell(key, point?.values[key] ?? 0)),
          ],
        }
      })
      .toReversed(),
  })
}

/** Nothing of it was used then; zeros would hide the figures between them. */
const UNUSED = '·'

/** The rows behind a bar, or a part of it, within the range. "Other" has no name to ask for: it opens the whole bar. */
function filterOf({ use, username }: QuotaChartProps, bucket: Bucket, model?: string): LogFilter {
  return {
    start: Math.max(bucket.start, use?.start ?? 0),
    end: Math.min(bucket.end - 1, use?.end ?? bucket.end),
    ...(model ? { model } : {}),
    ...(username ? { username } : {}),
  }
}
