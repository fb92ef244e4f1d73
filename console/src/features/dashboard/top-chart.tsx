import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { useIsAdmin } from '../../core/session.ts'
import { Chart } from '../../parts/charts/chart.tsx'
import { ACCENT_MARK } from '../../parts/charts/chart-marks.ts'
import { Ranking, share } from '../../parts/charts/chart-ranking.tsx'
import type { Range } from '../../parts/range/range.ts'
import { Money } from '../../parts/money.tsx'
import { QuotaCell, useUnitName } from '../../parts/quota.tsx'
import { grouped } from '../../parts/quota-format.ts'
import { chartState } from './chart-state.ts'
import type { LogFilter } from './log-link.tsx'
import { LogLink } from './log-link.tsx'
import type { TopBy, TopUse } from './queries.ts'
import { topQuery } from './queries.ts'
import { useRefreshMs } from './refresh.ts'

const HEIGHT = 240

/** The tokens, channels or users that consumed most in the range, with their share of all use in it. */
export function TopChart(props: { by: TopBy; range: Range; total: number; filter: LogFilter }) {
  const { t } = useTranslation()
  const unit = useUnitName()
  const { by, total, filter } = props
  const query = useQuery(topQuery(props.range, by, useIsAdmin(), useRefreshMs()))
  const uses = query.data ?? []
  const name = (use: TopUse) => <TopName use={use} by={by} filter={filter} />
  return (
    <Chart
      {...chartState(
        query,
        uses.length === 0,
        t('dashboard.emptyTitle'),
        t('dashboard.emptyDetail'),
      )}
      title={t(`dashboard.top_${by}`)}
      height={HEIGHT}
      twin={() => ({
        columns: [
          { label: t(`dashboard.name_${by}`) },
          { label: t('dashboard.quotaIn', { unit }), align: 'end' },
          { label: t('dashboard.callCount'), align: 'end' },
          { label: t('dashboard.tokens'), align: 'end' },
          { label: t('dashboard.share'), align: 'end' },
        ],
        rows: uses.map((use) => ({
          key: String(use.id),
          cells: [
            name(use),
            <QuotaCell key="quota" value={use.quota} />,
            grouped(use.count, 0),
            grouped(use.token_used, 0),
            share(use.quota, total),
          ],
        })),
      })}
    >
      <Ranking
        total={total}
        rows={uses.map((use) => ({
          key: String(use.id),
          name: name(use),
          value: use.quota,
          text: <Money value={use.quota} />,
          mark: ACCENT_MARK,
        }))}
      />
    </Chart>
  )
}

function TopName({ use, by, filter }: { use: TopUse; by: TopBy; filter: LogFilter }) {
  const { t } = useTranslation()
  if (use.id === 0) return t('dashboard.withoutToken')
  // What was deleted has no name any more; its number still tells it apart.
  const name = use.name || `#${use.id}`
  if (by === 'channel') return <LogLink filter={{ ...filter, channel: use.id }}>{name}</LogLink>
  if (!use.name) return name
  const key = by === 'user' ? { username: use.name } : { token: use.name }
  return <LogLink filter={{ ...filter, ...key }}>{name}</LogLink>
}
