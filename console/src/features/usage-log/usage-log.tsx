import { lazy, Suspense, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Log } from '../../core/contract.ts'
import { useIsAdmin } from '../../core/session.ts'
import { useTimeZone } from '../../core/time-zone.ts'
import { ExportButton } from '../../parts/export-button.tsx'
import { ListPage } from '../../parts/list/list-page.tsx'
import { moneyString } from '../../parts/quota-format.ts'
import { useQuotaUnit } from '../../parts/quota.tsx'
import { SkeletonRows } from '../../parts/states.tsx'
import { clock } from '../../parts/time-format.ts'
import { useLogColumns } from './columns.tsx'
import type { LogSearch } from './filters.ts'
import { LOG_FILTERS } from './filters.ts'
import { logType } from './log-type.ts'
import { logRowQuery, logsAt, logsQuery } from './queries.ts'
import { StatTags } from './stat-tags.tsx'

const LogPanel = lazy(() => import('./log-panel.tsx'))
const UserDialog = lazy(() => import('./user-dialog.tsx'))

const NOT_OF_USERS = ['channel', 'username', 'retry'] as const
const HIDDEN_AT_FIRST = ['group'] as const

/** Every request and what it cost: filtered by the address, opened row by row, exported as it is filtered. */
export function UsageLog({
  search,
  onSearch,
}: {
  search: LogSearch
  onSearch: (search: LogSearch) => void
}) {
  const { t } = useTranslation()
  const isAdmin = useIsAdmin()
  const [userId, setUserId] = useState<number | null>(null)
  const columns = useLogColumns(setUserId)
  const titleOf = useTitle()
  return (
    <ListPage
      name="usage-log"
      title={t('place.log')}
      actions={<ExportButton name="usage-log" list={() => logsAt(search, isAdmin)} />}
      filters={LOG_FILTERS}
      search={search}
      onSearch={onSearch}
      columns={columns}
      columnsKey="logs-table-columns"
      hiddenAtFirst={HIDDEN_AT_FIRST}
      {...(isAdmin ? {} : { columnsDenied: NOT_OF_USERS })}
      query={(pageSize) => logsQuery(search, isAdmin, pageSize)}
      rowId={(log) => log.event_id || String(log.id)}
      summary={<StatTags search={search} isAdmin={isAdmin} />}
      empty={{
        title: t('log.emptyTitle'),
        detail: t('log.emptyDetail'),
        noneFound: t('log.noneFound'),
      }}
      peek={{
        title: titleOf,
        at: (log) => log.created_at,
        render: (log) => (
          <Suspense fallback={<SkeletonRows rows={8} height="20px" />}>
            <LogPanel log={log} onUser={isAdmin ? setUserId : undefined} />
          </Suspense>
        ),
        find: (id) => logRowQuery(id, search.at),
      }}
    >
      {userId === null ? null : (
        <Suspense>
          <UserDialog id={userId} onClose={() => setUserId(null)} />
        </Suspense>
      )}
    </ListPage>
  )
}

/** The title of a row: its model or kind, its cost, its time. */
function useTitle(): (log: Log) => string {
  const { t } = useTranslation()
  useTimeZone()
  const { unit, quotaPerUnit } = useQuotaUnit()
  return (log) =>
    [
      log.model_name || t(`log.type_${logType(log.type).name}`),
      log.type === 2 ? moneyString(log.quota, unit, quotaPerUnit) : '',
      clock(log.created_at),
    ]
      .filter(Boolean)
      .join(' · ')
}
