import { chakra, Flex, Text } from '@chakra-ui/react'
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import { Chart } from '../../../parts/charts/chart.tsx'
import { besideMark, marksFor, OTHER_MARK } from '../../../parts/charts/chart-marks.ts'
import type { StackedPoint } from '../../../parts/charts/bars.ts'
import { StackedBars } from '../../../parts/charts/chart-stacked-bars.tsx'
import { Swatch } from '../../../parts/charts/chart-swatch.tsx'
import { Money } from '../../../parts/money.tsx'
import { Panel } from '../../../parts/page.tsx'
import { abbreviateRound, columnQuota, grouped } from '../../../parts/quota-format.ts'
import { QuotaCell, useQuotaUnit } from '../../../parts/quota.tsx'
import { ErrorState } from '../../../parts/states.tsx'
import { dateOf, dateTime } from '../../../parts/time-format.ts'
import { logSearch } from '../log-link.tsx'
import { greatest, OTHER } from '../series.ts'
import { sourcePoints, type SourceRow } from './source-data.ts'
import { useSourceName } from './source-name.ts'
import { type Frame, rowsQuery, type Source } from './source-queries.ts'
import { coarser, cutsOf } from './time-cuts.ts'

const HEIGHT = 300
const TICKS_MAX = 12

interface SourceChartProps {
  readonly first: Source
  readonly second: Source | null
  readonly frame: Frame
}

/** Quota over time by model: of one source, or of two whose bars share their places, the second's hatched. */
export function SourceChart({ first, second, frame }: SourceChartProps) {
  const { t } = useTranslation()
  const navigate = useNavigate()
  const { unit, quotaPerUnit } = useQuotaUnit()
  const nameOf = useSourceName()
  const one = useQuery(rowsQuery(first, frame))
  const other = useQuery({ ...rowsQuery(second ?? first, frame), enabled: second !== null })
  const rows = one.data
  const beside = second === null ? null : other.data
  const cuts = useMemo(() => cutsFor([first, second], frame), [first, second, frame])
  const models = useMemo(() => modelsOf([...(rows ?? []), ...(beside ?? [])]), [rows, beside])
  const marks = useMemo(() => marksFor(models.map(({ model }) => model)), [models])
  const { named, other: rest } = greatest(models, 'quota')
  const points = useMemo(() => {
    const names = new Set(named.map(({ model }) => model))
    const label = (start: number): string =>
      cuts.bucket === 'hour' ? dateTime(start / 1000).slice(5, 16) : dateOf(start / 1000).slice(5)
    return sourcePoints(cuts.starts, names, { first: rows ?? [], second: beside ?? null, label })
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- the names change with the models.
  }, [cuts, rows, beside, models])
  const failed = one.error ?? (second === null ? null : other.error)
  if (failed) {
    return (
      <Panel>
        <ErrorState
          error={failed}
          onRetry={() => void Promise.all([one.refetch(), other.refetch()])}
        />
      </Panel>
    )
  }
  if (rows === null || (beside === null && second !== null)) {
    return (
      <Panel p="4">
        <Text color="fg.muted">{t('sources.tooLong')}</Text>
      </Panel>
    )
  }
  const series = [
    ...named.map(({ model }) => ({
      key: model,
      label: model || t('sources.none'),
      mark: marks.get(model) ?? OTHER_MARK,
    })),
    ...(rest > 0 ? [{ key: OTHER, label: t('chart.other'), mark: OTHER_MARK }] : []),
  ]
  const open = (start: string, model?: string) => {
    const index = cuts.starts.indexOf(Number(start))
    const end = cuts.starts[index + 1] ?? frame.to
    const from = Math.max(Number(start), frame.from)
    const bounds = { start: Math.floor(from / 1000), end: Math.ceil(end / 1000) - 1 }
    void navigate({ to: '/log', search: logSearch({ ...bounds, ...(model ? { model } : {}) }) })
  }
  const step = Math.ceil(points.length / TICKS_MAX)
  return (
    <Chart
      isLoading={rows === undefined || beside === undefined}
      title={t('sources.chart')}
      subtitle={<Totals points={points} isTwo={second !== null} />}
      height={HEIGHT}
      twin={() => twinOf(points)}
      legend={
        <Flex as="ul" listStyleType="none" wrap="wrap" columnGap="4" pt="2" fontSize="xs">
          <Entry mark={OTHER_MARK} label={t('sources.barsOne', { name: nameOf(first) })} />
          {second === null ? null : (
            <Entry
              mark={besideMark(OTHER_MARK)}
              label={t('sources.barsOther', { name: nameOf(second) })}
            />
          )}
          {series.map(({ key, label, mark }) => (
            <Entry key={key} mark={mark} label={label} />
          ))}
        </Flex>
      }
    >
      <StackedBars
        label={t('sources.chart')}
        keysLabel={t('chart.keys', { title: t('sources.chart') })}
        height={HEIGHT}
        series={series}
        points={points}
        ticks={points.filter((_, index) => index % step === 0).map(({ label }) => label)}
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

  function twinOf(all: readonly StackedPoint[]) {
    const end = { align: 'end' } as const
    return {
      columns: [
        { label: t('dashboard.time') },
        { label: nameOf(first), ...end },
        ...(second === null
          ? []
          : [
              { label: nameOf(second), ...end },
              { label: t('sources.change'), ...end },
            ]),
      ],
      rows: all.map(({ key, label, total, beside: over }) => ({
        key,
        cells: [
          label,
          <QuotaCell key="first" value={total} />,
          ...(over === undefined
            ? []
            : [
                <QuotaCell key="second" value={over.total} />,
                <Money key="change" kind="difference" value={over.total - total} />,
              ]),
        ],
      })),
    }
  }
}

function Totals({ points, isTwo }: { points: readonly StackedPoint[]; isTwo: boolean }) {
  const { t } = useTranslation()
  const total = points.reduce((sum, one) => sum + one.total, 0)
  const other = points.reduce((sum, one) => sum + (one.beside?.total ?? 0), 0)
  return (
    <>
      {t('dashboard.total')} <Money value={total} />
      {isTwo ? (
        <>
          {' | '}
          <Money value={other} />
          {' | '}
          <Money value={other - total} kind="difference" />
        </>
      ) : null}
    </>
  )
}

function Entry({ mark, label }: { mark: Parameters<typeof Swatch>[0]['mark']; label: string }) {
  return (
    <chakra.li display="flex" gap="1.5" alignItems="center" minW="0" lineHeight="24px">
      <Swatch mark={mark} />
      {label}
    </chakra.li>
  )
}

/** As coarse as the coarser replay, in the first replay's zone. */
function cutsFor(sources: readonly (Source | null)[], { from, to }: Frame) {
  const replays = sources.filter((source) => source !== null && source !== 'live')
  const bucket = replays.map((one) => one.bucket).reduce(coarser, 'hour')
  return cutsOf(bucket, replays[0]?.zone ?? '', from, to)
}

const modelsOf = (rows: readonly SourceRow[]) =>
  [...Map.groupBy(rows, ({ model }) => model)]
    .map(([model, own]) => ({
      model,
      quota: own.reduce((sum, { quota }) => sum + quota, 0),
      count: own.reduce((sum, { count }) => sum + count, 0),
      tokens: own.reduce((sum, { tokens }) => sum + tokens, 0),
    }))
    .sort((a, b) => b.quota - a.quota || a.model.localeCompare(b.model))
