import { memo } from 'react'
import { useTranslation } from 'react-i18next'
import { Chart } from '../../parts/charts/chart.tsx'
import type { Mark } from '../../parts/charts/chart-marks.ts'
import { OTHER_MARK } from '../../parts/charts/chart-marks.ts'
import { Ranking, share } from '../../parts/charts/chart-ranking.tsx'
import { Count } from '../../parts/count.tsx'
import { QuotaCell, useUnitName } from '../../parts/quota.tsx'
import { grouped } from '../../parts/quota-format.ts'
import type { LogFilter } from './log-link.tsx'
import { LogLink } from './log-link.tsx'
import type { ModelUse } from './series.ts'
import { greatest } from './series.ts'

const HEIGHT = 280

/** Calls or tokens by model, greatest first, each with its share. Remembered: other figures come after its own. */
export const ModelChart = memo(function ModelChart(props: {
  isLoading: boolean
  measure: 'count' | 'tokens'
  models: readonly ModelUse[]
  marks: ReadonlyMap<string, Mark>
  filter: LogFilter
}) {
  const { t } = useTranslation()
  const unit = useUnitName()
  const { measure, models, filter } = props
  const total = models.reduce((sum, use) => sum + use[measure], 0)
  const { named, other } = greatest(models, measure)
  const title = measure === 'count' ? t('dashboard.callChart') : t('dashboard.tokenChart')
  const link = (model: string) => <LogLink filter={{ ...filter, model }}>{model}</LogLink>
  const rows = [
    ...named.map((use) => ({
      key: use.model,
      name: link(use.model),
      value: use[measure],
      text: <Count value={use[measure]} />,
      mark: props.marks.get(use.model) ?? OTHER_MARK,
    })),
    ...(other > 0
      ? [
          {
            key: '',
            name: t('chart.other'),
            value: other,
            text: <Count value={other} />,
            mark: OTHER_MARK,
          },
        ]
      : []),
  ]
  return (
    <Chart
      isLoading={props.isLoading}
      title={title}
      subtitle={
        <>
          {t('dashboard.total')} <Count value={props.isLoading ? undefined : total} />
        </>
      }
      height={HEIGHT}
      twin={() => ({
        columns: [
          { label: t('dashboard.model') },
          { label: t('dashboard.callCount'), align: 'end' },
          { label: t('dashboard.tokens'), align: 'end' },
          { label: t('dashboard.quotaIn', { unit }), align: 'end' },
          { label: t('dashboard.share'), align: 'end' },
        ],
        rows: models
          .toSorted((a, b) => b[measure] - a[measure])
          .map((use) => ({
            key: use.model,
            cells: [
              link(use.model),
              grouped(use.count, 0),
              grouped(use.tokens, 0),
              <QuotaCell key="quota" value={use.quota} />,
              share(use[measure], total),
            ],
          })),
      })}
    >
      <Ranking rows={rows} total={total} />
    </Chart>
  )
})
