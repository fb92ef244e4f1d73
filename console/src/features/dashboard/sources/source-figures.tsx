import { Grid } from '@chakra-ui/react'
import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import { useIsAdmin } from '../../../core/session.ts'
import { Chart } from '../../../parts/charts/chart.tsx'
import { ACCENT_MARK, marksFor } from '../../../parts/charts/chart-marks.ts'
import { Ranking, share } from '../../../parts/charts/chart-ranking.tsx'
import { QuotaCell, useUnitName } from '../../../parts/quota.tsx'
import { grouped } from '../../../parts/quota-format.ts'
import { dimensionsFor, type ReplayDimension } from '../../../parts/replays/replay-queries.ts'
import { ModelChart } from '../model-chart.tsx'
import { KeyName } from './source-key.tsx'
import { type Frame, keysQuery, type Source } from './source-queries.ts'

const HEIGHT = 240
const ROWS_MAX = 10
const NONE = [] as const

/** One source by model, user, group, token and channel, as far as it was broken down by them. */
export function SourceFigures({ source, frame }: { source: Source; frame: Frame }) {
  const models = useQuery(keysQuery(source, 'model', frame))
  const keys = models.data?.keys ?? NONE
  const uses = useMemo(() => keys.map(({ key, ...use }) => ({ ...use, model: key })), [keys])
  const marks = useMemo(
    () => marksFor(uses.toSorted((a, b) => b.quota - a.quota).map(({ model }) => model)),
    [uses],
  )
  const filter = {
    start: Math.floor(frame.from / 1000),
    end: Math.ceil(frame.to / 1000) - 1,
  }
  const others = dimensionsFor(useIsAdmin()).filter((dimension) => dimension !== 'model')
  return (
    <Grid
      templateColumns={{ base: 'minmax(0, 1fr)', lg: 'repeat(2, minmax(0, 1fr))' }}
      gap="3"
      mt="3"
    >
      {models.data === null
        ? null
        : (['count', 'tokens'] as const).map((measure) => (
            <ModelChart
              key={measure}
              isLoading={models.data === undefined}
              measure={measure}
              models={uses}
              marks={marks}
              filter={filter}
            />
          ))}
      {others.map((dimension) => (
        <Greatest key={dimension} source={source} frame={frame} dimension={dimension} />
      ))}
    </Grid>
  )
}

function Greatest(props: { source: Source; frame: Frame; dimension: ReplayDimension }) {
  const { t } = useTranslation()
  const unit = useUnitName()
  const { source, frame, dimension } = props
  const { data } = useQuery(keysQuery(source, dimension, frame))
  if (data === null || dimension === 'model') return null
  const lines = (data?.keys ?? NONE).toSorted((a, b) => b.quota - a.quota)
  const total = lines.reduce((sum, { quota }) => sum + quota, 0)
  const name = (line: (typeof lines)[number]) => (
    <KeyName dimension={dimension} line={line} frame={frame} />
  )
  return (
    <Chart
      isLoading={data === undefined}
      title={t(`sources.greatest_${dimension}`)}
      subtitle={t('dashboard.quotaIn', { unit })}
      height={HEIGHT}
      twin={() => ({
        columns: [
          { label: t(`sources.by_${dimension}`) },
          { label: t('dashboard.quotaIn', { unit }), align: 'end' },
          { label: t('dashboard.callCount'), align: 'end' },
          { label: t('dashboard.tokens'), align: 'end' },
          { label: t('dashboard.share'), align: 'end' },
        ],
        rows: lines.map((line) => ({
          key: line.key,
          cells: [
            name(line),
            <QuotaCell key="quota" value={line.quota} />,
            grouped(line.count, 0),
            grouped(line.tokens, 0),
            share(line.quota, total),
          ],
        })),
      })}
    >
      <Ranking
        total={total}
        rows={lines.slice(0, ROWS_MAX).map((line) => ({
          key: line.key,
          name: name(line),
          value: line.quota,
          text: <QuotaCell value={line.quota} />,
          mark: ACCENT_MARK,
        }))}
      />
    </Chart>
  )
}
