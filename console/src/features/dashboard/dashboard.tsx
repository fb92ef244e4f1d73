import { Button, Grid } from '@chakra-ui/react'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { lazy, Suspense, useDeferredValue, useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useIsAdmin, useSessionUser } from '../../core/session.ts'
import { selfQuery, useStatus } from '../../core/status.ts'
import { useTimeZone } from '../../core/time-zone.ts'
import { marksFor } from '../../parts/charts/chart-marks.ts'
import { Page, Panel } from '../../parts/page.tsx'
import { useRangeName } from '../../parts/range/range-picker.tsx'
import { EmptyState, ErrorState } from '../../parts/states.tsx'
import { textsOf } from '../../core/i18n.ts'
import { bucketsOf } from './buckets.ts'
import { AccountFigures, UsageFigures } from './figures.tsx'
import type { DashboardSearch } from './filters.ts'
import { ModelChart } from './model-chart.tsx'
import { accountQuery, todayQuery, usageQuery } from './queries.ts'
import { useRefreshMs } from './refresh.ts'
import { QuotaChart } from './quota-chart.tsx'
import { modelUses, totalUse } from './series.ts'
import { Toolbar } from './toolbar.tsx'
import { TopCharts } from './top-chart.tsx'
import { dashboardView } from './view.ts'

interface DashboardProps {
  readonly search: DashboardSearch
  readonly onSearch: (search: DashboardSearch) => void
}

/** Replays as sources: only those who choose one load it. */
const Sources = lazy(async () => {
  const texts = textsOf('parts', 'sources', 'replays')()
  const { Sources } = await import('./sources/sources.tsx')
  await texts
  return { default: Sources }
})

/** Use over time, by model and by user: everybody's for administrators, else one's own. */
export function Dashboard(props: DashboardProps) {
  const { t } = useTranslation()
  const [isChoosing, setChoosing] = useState(false)
  const hasSource = props.search.source !== undefined || props.search.over !== undefined
  const isOff = useStatus()?.enable_data_export === false
  return (
    <Page
      title={t('place.dashboard')}
      actions={
        <Button
          size="xs"
          variant="outline"
          aria-expanded={isChoosing || hasSource}
          disabled={hasSource}
          onClick={() => setChoosing(!isChoosing)}
        >
          {t('dashboard.source')}
        </Button>
      }
    >
      {isChoosing || hasSource ? (
        <Suspense>
          <Sources {...props} />
        </Suspense>
      ) : null}
      {hasSource ? null : isOff ? (
        <EmptyState title={t('dashboard.offTitle')} detail={t('dashboard.offDetail')} />
      ) : (
        <Content {...props} />
      )}
    </Page>
  )
}

function Content({ search, onSearch }: DashboardProps) {
  const { t } = useTranslation()
  const client = useQueryClient()
  const isAdmin = useIsAdmin()
  const status = useStatus()
  // Only tells whether bars by the hour fit; each reading takes the time afresh.
  const [now] = useState(() => Math.floor(Date.now() / 1000))
  // Until the status says by what to count, the frame stands as it was last time.
  const byDefault = status?.data_export_default_time ?? rememberedGranularity()
  const view = dashboardView(search, byDefault, now)
  const { range, granularity, username } = view
  const refreshMs = useRefreshMs()
  const isReady = { enabled: status !== undefined }
  const usage = useQuery({ ...usageQuery(range, username, isAdmin, refreshMs), ...isReady })
  const zone = useTimeZone()
  const today = useQuery({ ...todayQuery(username, isAdmin, refreshMs), ...isReady })
  const own = useSessionUser()?.username ?? ''
  const isOther = username !== '' && username !== own
  const self = useQuery({ ...selfQuery, enabled: !isOther })
  const other = useQuery({ ...accountQuery(username), enabled: isOther })
  const account = isOther ? other : self
  // Figures and charts are drawn in small steps, between which a slow phone takes taps and keys.
  const use = useDeferredValue(usage.data)
  const todayUse = useDeferredValue(today.data)
  const buckets = useMemo(
    () => (use ? bucketsOf(use.rows, granularity, use) : []),
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- days begin and are written by the zone.
    [use, granularity, zone],
  )
  const models = useMemo(() => modelUses(use?.rows ?? []), [use])
  const marks = useMemo(() => marksFor(models.map(({ model }) => model)), [models])
  const rangeName = useRangeName(range)
  const isOfAll = isAdmin && username === ''
  const isEmpty = use?.rows.length === 0
  const total = use ? totalUse(use.rows).quota : undefined
  const filter = useMemo(
    () => ({
      ...(use ? { start: use.start, end: use.end } : {}),
      ...(username ? { username } : {}),
    }),
    [use, username],
  )
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
          error: use ? usage.error : null,
          onRefresh: () => {
            void client.invalidateQueries({ queryKey: ['dashboard'] })
            void client.invalidateQueries({ queryKey: selfQuery.queryKey })
          },
        }}
      />
      {account.data === null ? null : (
        <>
          <AccountFigures
            owner={isOther ? username : own}
            isOther={isOther}
            isAdmin={isAdmin}
            account={account.data}
            error={account.error}
            onRetry={() => void account.refetch()}
          />
          <UsageFigures
            title={
              isOfAll
                ? t('dashboard.usageOfAll', { range: rangeName })
                : t('dashboard.usageOf', { name: username || own, range: rangeName })
            }
            use={use}
            today={todayUse}
            username={username}
          />
        </>
      )}
      {account.data === null ? (
        <Panel>
          <EmptyState
            title={t('dashboard.noSuchUser', { name: username })}
            detail={t('dashboard.noSuchUserDetail')}
            action={<ShowAll search={search} onSearch={onSearch} />}
          />
        </Panel>
      ) : usage.error && !use ? (
        <Panel>
          <ErrorState
            error={usage.error}
            onRetry={() => void client.refetchQueries({ queryKey: ['dashboard'] })}
          />
        </Panel>
      ) : isEmpty ? (
        <Panel>
          <NothingUsed search={search} username={username} onSearch={onSearch} />
        </Panel>
      ) : (
        <>
          <QuotaChart
            use={use}
            granularity={granularity}
            buckets={buckets}
            models={models}
            marks={marks}
            username={username}
          />
          <Grid
            templateColumns={{ base: 'minmax(0, 1fr)', lg: 'repeat(2, minmax(0, 1fr))' }}
            gap="3"
            mt="3"
            css={{ '& > :last-child:nth-of-type(odd)': { gridColumn: '1 / -1' } }}
          >
            <ModelChart
              isLoading={!use}
              measure="count"
              models={models}
              marks={marks}
              filter={filter}
            />
            <ModelChart
              isLoading={!use}
              measure="tokens"
              models={models}
              marks={marks}
              filter={filter}
            />
            {username ? null : <TopCharts range={range} total={total} filter={filter} />}
          </Grid>
        </>
      )}
    </>
  )
}

/** Said once for the whole page: there is nothing to draw, and how there will be. */
function NothingUsed(props: DashboardProps & { username: string }) {
  const { t } = useTranslation()
  const { username } = props
  if (username)
    return (
      <EmptyState
        title={t('dashboard.emptyOf', { name: username })}
        detail={t('dashboard.emptyOfDetail')}
        action={<ShowAll {...props} />}
      />
    )
  return (
    <EmptyState
      title={t('dashboard.emptyTitle')}
      detail={t('dashboard.emptyDetail')}
      action={
        <Button asChild size="xs" variant="outline">
          <Link to="/token">{t('dashboard.openTokens')}</Link>
        </Button>
      }
    />
  )
}

function ShowAll({ search, onSearch }: DashboardProps) {
  const { t } = useTranslation()
  return (
    <Button size="xs" variant="outline" onClick={() => onSearch({ ...search, username: '' })}>
      {t('dashboard.showAll')}
    </Button>
  )
}

/** The default granularity as this browser saw it last (local keys of the seeds). */
function rememberedGranularity(): string {
  return localStorage.getItem('data_export_default_time') ?? ''
}
