import { Button, Grid } from '@chakra-ui/react'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useIsAdmin } from '../../core/session.ts'
import { selfQuery, useStatus } from '../../core/status.ts'
import { marksFor } from '../../parts/charts/chart-marks.ts'
import { Page } from '../../parts/page.tsx'
import { EmptyState } from '../../parts/states.tsx'
import { bucketsOf } from './buckets.ts'
import { chartState } from './chart-state.ts'
import { Figures } from './figures.tsx'
import type { DashboardSearch } from './filters.ts'
import { ModelChart } from './model-chart.tsx'
import { usageQuery } from './queries.ts'
import { useRefreshMs } from './refresh.ts'
import { QuotaChart } from './quota-chart.tsx'
import { modelUses, totalUse } from './series.ts'
import { Toolbar } from './toolbar.tsx'
import { TopChart } from './top-chart.tsx'
import { dashboardView } from './view.ts'

interface DashboardProps {
  readonly search: DashboardSearch
  readonly onSearch: (search: DashboardSearch) => void
}

/** What was used, when, by which models and by whom: of everybody for administrators, else one's own. */
export function Dashboard(props: DashboardProps) {
  const { t } = useTranslation()
  const status = useStatus()
  return (
    <Page title={t('place.dashboard')}>
      {status?.enable_data_export === false ? (
        <EmptyState title={t('dashboard.offTitle')} detail={t('dashboard.offDetail')} />
      ) : null}
      {status?.enable_data_export ? (
        <Content {...props} defaultTime={status.data_export_default_time} />
      ) : null}
    </Page>
  )
}

function Content({ search, onSearch, defaultTime }: DashboardProps & { defaultTime: string }) {
  const { t } = useTranslation()
  const client = useQueryClient()
  const isAdmin = useIsAdmin()
  // Only tells whether bars by the hour fit; each reading takes the time afresh.
  const [now] = useState(() => Math.floor(Date.now() / 1000))
  const view = dashboardView(search, defaultTime, now)
  const { range, granularity, username } = view
  const refreshMs = useRefreshMs()
  const usage = useQuery(usageQuery(range, username, isAdmin, refreshMs))
  const today = useQuery(
    usageQuery({ type: 'custom', start: midnight() }, username, isAdmin, refreshMs),
  )
  const rows = useMemo(() => usage.data?.rows ?? [], [usage.data])
  const buckets = useMemo(() => bucketsOf(rows, granularity), [rows, granularity])
  const models = useMemo(() => modelUses(rows), [rows])
  const marks = useMemo(() => marksFor(models.map((use) => use.model)), [models])
  const filter = {
    ...(usage.data ? { start: usage.data.start, end: usage.data.end } : {}),
    ...(username ? { username } : {}),
  }
  const state = {
    ...chartState(usage, rows.length === 0, t('dashboard.emptyTitle'), t('dashboard.emptyDetail')),
    emptyAction: <MakeFirstCall />,
  }
  const total = totalUse(rows).quota
  const tops = isAdmin ? (['user', 'channel', 'token'] as const) : (['token'] as const)
  return (
    <>
      <Toolbar
        view={view}
        search={search}
        nowSeconds={now}
        onSearch={onSearch}
        freshness={{
          readAt: usage.dataUpdatedAt,
          isReading: usage.isFetching,
          onRefresh: () => {
            void client.invalidateQueries({ queryKey: ['dashboard'] })
            void client.invalidateQueries({ queryKey: selfQuery.queryKey })
          },
        }}
      />
      <Figures
        use={usage.data}
        today={today.data}
        username={username}
        {...(isAdmin ? { whose: username || t('dashboard.allUsers') } : {})}
      />
      <QuotaChart
        state={state}
        use={usage.data}
        buckets={buckets}
        models={models}
        marks={marks}
        username={username}
      />
      <Grid
        templateColumns={{ base: 'minmax(0, 1fr)', lg: 'repeat(2, minmax(0, 1fr))' }}
        gap="4"
        mt="4"
        css={{ '& > :last-child:nth-of-type(odd)': { gridColumn: '1 / -1' } }}
      >
        <ModelChart state={state} measure="count" models={models} marks={marks} filter={filter} />
        <ModelChart state={state} measure="tokens" models={models} marks={marks} filter={filter} />
        {username
          ? null
          : tops.map((by) => (
              <TopChart key={by} by={by} range={range} total={total} filter={filter} />
            ))}
      </Grid>
    </>
  )
}

function MakeFirstCall() {
  const { t } = useTranslation()
  return (
    <Button asChild size="xs" variant="outline">
      <Link to="/token">{t('dashboard.openTokens')}</Link>
    </Button>
  )
}

function midnight(): number {
  return Math.floor(new Date().setHours(0, 0, 0, 0) / 1000)
}
