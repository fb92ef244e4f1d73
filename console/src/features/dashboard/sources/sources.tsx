import { Flex, Text } from '@chakra-ui/react'
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { ApiError } from '../../../core/api.ts'
import { useIsAdmin } from '../../../core/session.ts'
import { Panel } from '../../../parts/page.tsx'
import type { Replay } from '../../../parts/replays/replay-queries.ts'
import { replayQuery } from '../../../parts/replays/replay-queries.ts'
import { EmptyState, ErrorState, SkeletonRows } from '../../../parts/states.tsx'
import { dateTime } from '../../../parts/time-format.ts'
import type { DashboardSearch } from '../filters.ts'
import { Repricing } from './repricing.tsx'
import { SourceChart } from './source-chart.tsx'
import { DifferenceTable } from './difference-table.tsx'
import { SourceFigures } from './source-figures.tsx'
import { SourceSelect } from './source-select.tsx'
import type { Frame, Source } from './source-queries.ts'

const LIVE = 'live'

/** Chooses the dashboard's sources, and draws them where one is a replay. */
export function Sources(props: {
  search: DashboardSearch
  onSearch: (search: DashboardSearch) => void
}) {
  const { t } = useTranslation()
  const { search, onSearch } = props
  const first = search.source ?? LIVE
  const second = search.over ?? ''
  const choose = (source: string, over: string) => {
    const { source: _, over: __, ...kept } = search
    const isAlone = over === '' || over === source
    onSearch({
      ...kept,
      ...(source === LIVE ? {} : { source }),
      ...(isAlone ? {} : { over }),
    })
  }
  return (
    <>
      <Flex gap="3" wrap="wrap" align="end" mb="3" css={{ '&& > *': { maxW: '320px' } }}>
        <SourceSelect
          label={t('sources.first')}
          value={first}
          onChange={(value) => choose(value, second)}
        />
        <SourceSelect
          label={t('sources.second')}
          value={second}
          isOptional
          onChange={(value) => choose(first, value)}
        />
      </Flex>
      {first === LIVE && second === '' ? null : <Loaded first={first} second={second} />}
    </>
  )
}

/** Reads which replays they are, then draws. */
function Loaded({ first, second }: { first: string; second: string }) {
  const { t } = useTranslation()
  const isAdmin = useIsAdmin()
  const one = useSource(first)
  const other = useSource(second)
  const failed = one.error ?? other.error
  if (failed) {
    const isUnknown = failed instanceof ApiError && failed.code === 'replay_unknown'
    return (
      <Panel>
        {isUnknown ? (
          <EmptyState title={t('sources.unknown')} />
        ) : (
          <ErrorState
            error={failed}
            onRetry={() => {
              one.retry()
              other.retry()
            }}
          />
        )}
      </Panel>
    )
  }
  if (one.source === undefined || other.source === undefined) return <SkeletonRows rows={8} />
  const sources = [one.source, ...(other.source === null ? [] : [other.source])].filter(
    (source) => source !== null,
  )
  const replays = sources.filter((source) => source !== 'live')
  if (replays.some(({ status }) => status !== 'done')) {
    return (
      <Panel>
        <EmptyState title={t('sources.unfinished')} />
      </Panel>
    )
  }
  return <Drawn sources={sources} frame={frameOf(replays, isAdmin)} />
}

function Drawn({ sources, frame }: { sources: readonly Source[]; frame: Frame }) {
  const { t } = useTranslation()
  const [first, second] = sources
  const [one, other] = sources.filter((source) => source !== 'live')
  const isUneven = one && other && (one.from !== other.from || one.to !== other.to)
  if (first === undefined) return null
  return (
    <>
      <Text color="fg.muted" fontSize="sm" mb="3">
        {t('sources.spans', {
          from: dateTime(frame.from / 1000),
          to: dateTime(frame.to / 1000),
        })}
        {isUneven ? ` · ${t('sources.otherTimes')}` : null}
      </Text>
      {second === undefined && first !== 'live' && first.prices !== 'as-charged' ? (
        <Repricing replay={first} />
      ) : null}
      <SourceChart first={first} second={second ?? null} frame={frame} />
      {second === undefined ? (
        <SourceFigures source={first} frame={frame} />
      ) : (
        <DifferenceTable first={first} second={second} frame={frame} />
      )}
    </>
  )
}

/** From the earliest beginning to the latest end of the replays; live data is read over the same time. */
const frameOf = (replays: readonly Replay[], isAdmin: boolean): Frame => ({
  from: Math.min(...replays.map(({ from }) => from)),
  to: Math.max(...replays.map(({ to }) => to)),
  isAdmin,
})

/** A source by its name in the address; '' = none (null). Undefined while it is read. */
function useSource(id: string): {
  readonly source: Source | null | undefined
  readonly error: Error | null
  readonly retry: () => void
} {
  const isReplay = id !== '' && id !== LIVE
  const query = useQuery({ ...replayQuery(id), enabled: isReplay })
  const retry = () => void query.refetch()
  if (!isReplay) return { source: id === LIVE ? 'live' : null, error: null, retry }
  return { source: query.data ?? undefined, error: query.error, retry }
}
