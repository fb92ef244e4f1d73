import { useQuery } from '@tanstack/react-query'
import { memo, useDeferredValue } from 'react'
import { useTranslation } from 'react-i18next'
import { useIsAdmin } from '../../core/session.ts'
import { Chart } from '../../parts/charts/chart.tsx'
import { ACCENT_MARK } from '../../parts/charts/chart-marks.ts'
import { Ranking, share } from '../../parts/charts/chart-ranking.tsx'
import { Panel } from '../../parts/page.tsx'
import { QuotaCell, useUnitName } from '../../parts/quota.tsx'
import { grouped } from '../../parts/quota-format.ts'
import type { Range } from '../../parts/range/range.ts'
import { ErrorState } from '../../parts/states.tsx'
import type { LogFilter } from './log-link.tsx'
import { LogLink } from './log-link.tsx'
import type { TopBy, TopUse } from './queries.ts'
import { topQuery, topsOf } from './queries.ts'
import { useRefreshMs } from './refresh.ts'

const HEIGHT = 240

interface TopProps {
  readonly range: Range
  /** All use in the range, which shares are of. */
  readonly total: number | undefined
  readonly filter: LogFilter
}

/** The largest consumers of the range: users, channels and tokens for administrators, else one's own tokens. */
export function TopCharts(props: TopProps) {
  const isAdmin = useIsAdmin()
  const tops = topsOf(isAdmin)
  const queries = {
    user: useTop(props.range, 'user', isAdmin),
    channel: useTop(props.range, 'channel', isAdmin),
    token: useTop(props.range, 'token', true),
  }
  const failed = tops.map((by) => queries[by]).filter(({ error, data }) => error && !data)
  return (
    <>
      {tops
        .filter((by) => !failed.includes(queries[by]))
        .map((by) => (
          <TopChart key={by} {...props} by={by} read={queries[by].data} />
        ))}
      {failed[0] ? (
        <Panel>
          <ErrorState
            error={failed[0].error}
            onRetry={() => {
              for (const query of failed) void query.refetch()
            }}
          />
        </Panel>
      ) : null}
    </>
  )
}

function useTop(range: Range, by: TopBy, isWanted: boolean) {
  const query = topQuery(range, by, useIsAdmin(), useRefreshMs())
  return useQuery({ ...query, enabled: isWanted })
}

interface TopChartProps extends TopProps {
  readonly by: TopBy
  readonly read: readonly TopUse[] | undefined
}

/** Remembered: the others' figures come at other times. */
const TopChart = memo(function TopChart({ by, read, filter, ...props }: TopChartProps) {
  const { t } = useTranslation()
  const unit = useUnitName()
  // Drawn in small steps, as the page's other charts.
  const known = useDeferredValue(read)
  const uses = known ?? []
  const { total = 0 } = props
  const name = (use: TopUse) => <TopName use={use} by={by} filter={filter} />
  return (
    <Chart
      isLoading={!known || props.total === undefined}
      title={t(`dashboard.top_${by}`)}
      subtitle={t('dashboard.quotaIn', { unit })}
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
          text: <QuotaCell value={use.quota} />,
          mark: ACCENT_MARK,
        }))}
      />
    </Chart>
  )
})

function TopName({ use, by, filter }: { use: TopUse; by: TopBy; filter: LogFilter }) {
  const { t } = useTranslation()
  if (use.id === 0) return t('dashboard.withoutToken')
  // A deleted user, token or channel has no name any more; its number still tells it apart.
  const name = use.name || `#${use.id}`
  if (by === 'channel') return <LogLink filter={{ ...filter, channel: use.id }}>{name}</LogLink>
  if (!use.name) return name
  const key = by === 'user' ? { username: use.name } : { token: use.name }
  return <LogLink filter={{ ...filter, ...key }}>{name}</LogLink>
}
