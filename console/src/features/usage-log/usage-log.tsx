import { Button, Flex } from '@chakra-ui/react'
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import type { Log } from '../../core/contract.ts'
import { usePreference } from '../../core/preferences.ts'
import { useIsAdmin } from '../../core/session.ts'
import { ColumnSettings, useColumnVisibility } from '../../parts/table/column-settings.tsx'
import { DataTable } from '../../parts/table/data-table.tsx'
import { ExportButton } from '../../parts/export-button.tsx'
import { Freshness } from '../../parts/freshness.tsx'
import { Page, Panel } from '../../parts/page.tsx'
import { Pager, pageSizeOf } from '../../parts/table/pager.tsx'
import { EmptyState } from '../../parts/states.tsx'
import { LOG_COLUMNS, useLogColumns } from './columns.tsx'
import type { LogSearch } from './filters.ts'
import { LogFilters } from './log-filters.tsx'
import { LogPanel } from './log-panel.tsx'
import { exportOf, logsQuery } from './queries.ts'
import { StatTags } from './stat-tags.tsx'

const rowId = (log: Log) => log.event_id || String(log.id)

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
  const [storedSize, storeSize] = usePreference('page-size', '10')
  const pageSize = pageSizeOf(search.size ?? storedSize)
  const logs = useQuery(logsQuery(search, isAdmin, pageSize))
  const [visibility, setVisible] = useColumnVisibility('logs-table-columns', {
    group: false,
    channel: isAdmin,
    username: isAdmin,
    retry: isAdmin,
  })
  const offered = LOG_COLUMNS.filter((column) => isAdmin || !('isAdmin' in column))
  const hidden = isAdmin
    ? visibility
    : { ...visibility, channel: false, username: false, retry: false }
  const columns = useLogColumns()
  const rows = logs.data?.items
  const open = (log: Log | undefined) => {
    const { row: _, ...kept } = search
    onSearch(log ? { ...kept, row: rowId(log) } : kept)
  }
  return (
    <Page
      title={t('place.log')}
      actions={<ExportButton name="usage-log" list={() => exportOf(search, isAdmin)} />}
    >
      <Panel>
        <Flex
          gap="2"
          p="2.5"
          wrap="wrap"
          align="center"
          borderBottomWidth="1px"
          borderColor="border"
        >
          <LogFilters search={search} isAdmin={isAdmin} onSearch={onSearch} />
        </Flex>
        <Flex
          gap="3"
          px="3"
          py="1.5"
          wrap="wrap"
          align="center"
          justify="space-between"
          borderBottomWidth="1px"
          borderColor="border"
        >
          <StatTags search={search} isAdmin={isAdmin} />
          <Flex gap="2" align="center">
            <ColumnSettings
              columns={offered.map(({ id }) => ({ id, label: t(`log.column_${id}`) }))}
              visibility={visibility}
              onChange={setVisible}
            />
            <Freshness
              readAt={logs.dataUpdatedAt}
              isReading={logs.isFetching}
              onRefresh={() => void logs.refetch()}
            />
          </Flex>
        </Flex>
        <DataTable
          label={t('place.log')}
          columns={columns}
          rows={rows}
          rowId={rowId}
          error={logs.error}
          onRetry={() => void logs.refetch()}
          hiddenColumns={hidden}
          openRowId={search.row}
          onOpenRow={open}
          height="calc(100dvh - 270px)"
          empty={<Empty search={search} onReset={() => onSearch({})} />}
        />
        <Pager
          page={search.p ?? 1}
          pageSize={pageSize}
          shown={rows?.length ?? 0}
          total={logs.data?.total ?? 0}
          onPage={(p) => onSearch({ ...search, p })}
          onPageSize={(size) => {
            storeSize(String(size))
            onSearch({ ...search, size, p: 1 })
          }}
        />
      </Panel>
      <Opened rows={rows ?? []} row={search.row} onOpen={open} />
    </Page>
  )
}

function Opened({
  rows,
  row,
  onOpen,
}: {
  rows: readonly Log[]
  row: string | undefined
  onOpen: (log: Log | undefined) => void
}) {
  const index = rows.findIndex((log) => rowId(log) === row)
  const log = rows[index]
  if (!log) return null
  const previous = rows[index - 1]
  const next = rows[index + 1]
  return (
    <LogPanel
      log={log}
      onPrevious={previous ? () => onOpen(previous) : undefined}
      onNext={next ? () => onOpen(next) : undefined}
      onClose={() => onOpen(undefined)}
    />
  )
}

function Empty({ search, onReset }: { search: LogSearch; onReset: () => void }) {
  const { t } = useTranslation()
  const { size: _, p: __, ...filters } = search
  if (Object.keys(filters).length === 0)
    return <EmptyState title={t('log.emptyTitle')} detail={t('log.emptyDetail')} />
  return (
    <EmptyState
      title={t('log.noneFound')}
      action={
        <Button size="xs" variant="outline" onClick={onReset}>
          {t('action.reset')}
        </Button>
      }
    />
  )
}
