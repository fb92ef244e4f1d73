import { Box, Button, Flex } from '@chakra-ui/react'
import type { UseQueryOptions } from '@tanstack/react-query'
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { lazy, Suspense, useDeferredValue, useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { PreferenceKey } from '../../core/preferences.ts'
import { setPreference } from '../../core/preferences.ts'
import { Freshness } from '../freshness.tsx'
import { Page, Panel } from '../page.tsx'
import { EmptyState, ErrorState, SkeletonRows } from '../states.tsx'
import { ColumnSettings, useColumnVisibility } from '../table/column-settings.tsx'
import type { Selection } from '../table/data-table.tsx'
import { DataTable } from '../table/data-table.tsx'
import { CursorPager, Pager } from '../table/pager.tsx'
import { columnId } from '../table/sort-rows.ts'
import type { Column } from '../table/table-features.ts'
import { FilterBar } from './filter-bar.tsx'
import type { Filters, AnySearch } from './filters.ts'
import { filtersSet } from './filters.ts'
import { SavedViews } from './saved-views.tsx'
import { usePageSize } from './use-page-size.ts'

const BulkBar = lazy(async () => ({ default: (await import('./bulk-bar.tsx')).BulkBar }))
const PeekPanel = lazy(async () => ({ default: (await import('./peek-panel.tsx')).PeekPanel }))

/** Rows of a list as its query answers them. Without a total, the next page exists while this one is full, or begins at `next`. */
export interface ListRows<Row> {
  readonly items: readonly Row[]
  readonly total?: number
  /** The cursor at which the next page begins, in a list that is read from a cursor on; null on the last one. */
  readonly next?: string | null
}

/** A query of one kind of data whatever its key, and whatever it is selected from. */
// oxlint-disable-next-line typescript/no-explicit-any -- each screen's keys and answers have types of their own, which only `any` spans.
type QueryOf<Data> = UseQueryOptions<any, Error, Data, any>

/** One list, declared: what it is called, how it is filtered, what its rows are, what can be done with them. */
export interface ListPageProps<Row extends object, Search extends AnySearch> {
  /** The name under which widths, views and files are kept. */
  readonly name: string
  readonly title: string
  readonly note?: ReactNode
  readonly actions?: ReactNode
  /** The button that makes a row: beside the actions, and in the list while it is empty. */
  readonly create?: ReactNode
  readonly filters: Filters
  readonly search: Search
  readonly onSearch: (search: Search) => void
  readonly columns: readonly Column<Row>[]
  /** Where the choice of columns is remembered; columns hidden until chosen; those that this user never has. */
  readonly columnsKey: PreferenceKey
  readonly hiddenAtFirst?: readonly string[]
  readonly columnsDenied?: readonly string[]
  readonly query: (pageSize: number) => QueryOf<ListRows<Row>>
  /** True for searches that answer all they find at once. */
  readonly isUnpaged?: boolean
  readonly rowId: (row: Row) => string
  readonly empty: { readonly title: string; readonly detail?: string; readonly noneFound: string }
  /** Beside the filters: switches of the screen's own. */
  readonly tools?: ReactNode
  /** Above the table, such as figures over what is filtered. */
  readonly summary?: ReactNode
  /** The actions on ticked rows; without it none can be ticked. */
  readonly renderBulk?: (rows: readonly Row[], clear: () => void) => ReactNode
  /**
   * The panel that a row opens. `find` reads a row that is not on this page; `at` is when a row was written, for lists
   * that find rows by time.
   */
  readonly peek?: {
    readonly title: (row: Row) => string
    readonly at?: (row: Row) => number
    readonly render: (row: Row) => ReactNode
    readonly find: (id: string) => QueryOf<Row | null>
    /** Shown below the note that a row is no more, such as a way to its events. */
    readonly renderGone?: (id: string) => ReactNode
  }
  /** Puts the rows into several tables of the same columns, such as one for each group. */
  readonly arrange?: (rows: readonly Row[], table: (rows: readonly Row[]) => ReactNode) => ReactNode
  /** Dialogs and forms. */
  readonly children?: ReactNode
}

/** A screen that is a list: filters, table, pages and panel, all of them in the address. */
export function ListPage<Row extends object, Search extends AnySearch>(
  props: ListPageProps<Row, Search>,
) {
  const { columns, rowId } = props
  const search: AnySearch = props.search
  const onSearch = props.onSearch as (search: AnySearch) => void
  const pageSize = usePageSize(search)
  const storeSize = (size: number) => setPreference('page-size', String(size))
  const list = useQuery(props.query(pageSize))
  const [selection, setSelection] = useState<Selection>({})
  const [visibility, setVisible] = useColumnVisibility(
    props.columnsKey,
    Object.fromEntries((props.hiddenAtFirst ?? []).map((id) => [id, false])),
  )
  const denied = props.columnsDenied ?? []
  // The first rows are drawn in small steps, between which a slow phone takes taps; later ones at once with the rest.
  const isFilled = useDeferredValue(list.data !== undefined)
  const rows = isFilled ? list.data?.items : undefined
  const page = search.p ?? 1
  const selected = (rows ?? []).filter((row) => selection[rowId(row)])
  const closed = without(search, 'row')
  const clear = () => setSelection({})
  const table = (shown: readonly Row[] | undefined) => (
    <DataTable
      label={props.title}
      name={props.name}
      columns={columns}
      rows={shown}
      rowId={rowId}
      error={list.error}
      onRetry={() => void list.refetch()}
      hiddenColumns={{
        ...visibility,
        ...Object.fromEntries(denied.map((id) => [id, false])),
      }}
      {...(props.renderBulk ? { selection, onSelection: setSelection } : {})}
      {...(props.peek
        ? {
            openRowId: openId(search.row, rows, rowId),
            onOpenRow: (row: Row) => onSearch({ ...closed, ...placeOf(props, row) }),
          }
        : {})}
      sort={search.sort}
      onSort={(sort) =>
        onSearch(sort === undefined ? without(search, 'sort') : { ...search, sort })
      }
      expected={pageSize}
      height="calc(100dvh - var(--frame-top) - 192px)"
      empty={<Empty {...props} />}
    />
  )
  return (
    <Page
      title={props.title}
      actions={
        <>
          {props.actions}
          {props.create}
        </>
      }
      isWide
    >
      {props.note}
      <Flex gap="4" align="flex-start">
        <Panel flex="1">
          <Flex
            gap="2"
            p="2.5"
            wrap="wrap"
            align="start"
            borderBottomWidth="1px"
            borderColor="border"
          >
            <Box flex={{ base: '1 0 auto', sm: '1' }} minW="0" maxW="full">
              <FilterBar filters={props.filters} search={search} onSearch={onSearch}>
                {props.tools}
              </FilterBar>
            </Box>
            <Flex gap="2" align="center" wrap="wrap">
              <SavedViews list={props.name} search={search} onSearch={onSearch} />
              <ColumnSettings
                columns={columns
                  .filter((column) => typeof column.header === 'string')
                  .map((column) => ({ id: columnId(column), label: String(column.header) }))
                  .filter(({ id }) => !denied.includes(id))}
                visibility={visibility}
                onChange={setVisible}
              />
              <Freshness
                readAt={list.dataUpdatedAt}
                isReading={list.isFetching}
                error={rows ? list.error : null}
                onRefresh={() => void list.refetch()}
              />
            </Flex>
          </Flex>
          {props.summary}
          {props.renderBulk && selected.length > 0 ? (
            <Suspense>
              <BulkBar count={selected.length} onClear={clear}>
                {props.renderBulk(selected, clear)}
              </BulkBar>
            </Suspense>
          ) : null}
          {props.arrange && rows && rows.length > 0 ? props.arrange(rows, table) : table(rows)}
          {props.isUnpaged ||
          !rows ||
          (rows.length === 0 && page === 1 && !list.data?.next) ? null : list.data?.next !==
            undefined ? (
            <CursorPager
              pageSize={pageSize}
              next={list.data.next}
              isFirst={search.after === undefined}
              onPage={(after) => onSearch({ ...without(closed, 'after'), ...after })}
              onPageSize={(size) => {
                storeSize(size)
                onSearch({ ...without(closed, 'after'), size })
              }}
            />
          ) : (
            <Pager
              page={page}
              pageSize={pageSize}
              shown={rows.length}
              {...(list.data?.total === undefined ? {} : { total: list.data.total })}
              onPage={(p) => onSearch({ ...closed, p })}
              onPageSize={(size) => {
                storeSize(size)
                onSearch({ ...closed, size, p: 1 })
              }}
            />
          )}
        </Panel>
        {props.peek && search.row !== undefined ? (
          <Suspense>
            <Peek
              {...props}
              peek={props.peek}
              row={search.row}
              rows={list.isPlaceholderData ? undefined : rows}
              hasNextPage={hasNextPage(list.data, page, pageSize)}
            />
          </Suspense>
        ) : null}
      </Flex>
      {props.children}
    </Page>
  )
}

/** The panel of the row in the address: of this page, or found by itself. */
function Peek<Row extends object, Search extends AnySearch>(
  props: ListPageProps<Row, Search> & {
    readonly peek: NonNullable<ListPageProps<Row, Search>['peek']>
    readonly row: string
    readonly rows: readonly Row[] | undefined
    readonly hasNextPage: boolean
  },
) {
  const { t } = useTranslation()
  const { search, rows, row, rowId, peek } = props
  const onSearch = props.onSearch as (search: AnySearch) => void
  const page = search.p ?? 1
  const id = openId(row, rows, rowId)
  const index = rows?.findIndex((one) => rowId(one) === id) ?? -1
  const here = rows?.[index]
  const isAway = rows !== undefined && here === undefined && !isEdge(row)
  const found = useQuery({ ...peek.find(row), enabled: isAway })
  const show = (change: AnySearch) => onSearch({ ...without(search, 'row'), ...change })
  const neighbour = (by: number): (() => void) | undefined => {
    const next = rows?.[index + by]
    if (index >= 0 && next) return () => show(placeOf(props, next))
    if (index < 0 || !rows) return undefined
    if (by > 0) return props.hasNextPage ? () => show({ p: page + 1, row: 'first' }) : undefined
    return page > 1 ? () => show({ p: page - 1, row: 'last' }) : undefined
  }
  // Once the page is there, the address names the row itself, so that it can be shared.
  const settled = isEdge(row) ? id : undefined
  useEffect(() => {
    if (settled !== undefined && here) onSearch({ ...search, ...placeOf(props, here) })
    // oxlint-disable-next-line react/exhaustive-deps -- said once for each row that becomes known.
  }, [settled])
  const shown = here ?? found.data ?? undefined
  return (
    <PeekPanel
      title={shown ? peek.title(shown) : t('list.details')}
      onPrevious={neighbour(-1)}
      onNext={neighbour(1)}
      onClose={() => onSearch(without(search, 'row'))}
    >
      {shown ? (
        peek.render(shown)
      ) : found.error ? (
        <ErrorState error={found.error} onRetry={() => void found.refetch()} />
      ) : found.data === null || (isEdge(row) && rows?.length === 0) ? (
        <EmptyState
          title={t('list.rowGone')}
          detail={t('list.rowGoneDetail')}
          action={isEdge(row) ? undefined : peek.renderGone?.(row)}
        />
      ) : (
        <SkeletonRows rows={8} height="20px" />
      )}
    </PeekPanel>
  )
}

function Empty<Row extends object, Search extends AnySearch>(props: ListPageProps<Row, Search>) {
  const { t } = useTranslation()
  const { empty, search, filters } = props
  const onSearch = props.onSearch as (search: AnySearch) => void
  if (filtersSet(filters, search) > 0 || (search.p ?? 1) > 1 || search.after !== undefined)
    return (
      <EmptyState
        title={empty.noneFound}
        action={
          <Button size="xs" variant="outline" onClick={() => onSearch({})}>
            {t('action.reset')}
          </Button>
        }
      />
    )
  return (
    <EmptyState
      title={empty.title}
      {...(empty.detail ? { detail: empty.detail } : {})}
      action={props.create}
    />
  )
}

/** The row as the address has it. */
function placeOf<Row extends object, Search extends AnySearch>(
  { rowId, peek }: ListPageProps<Row, Search>,
  row: Row,
): AnySearch {
  return { row: rowId(row), ...(peek?.at ? { at: peek.at(row) } : {}) }
}

const isEdge = (row: string): boolean => row === 'first' || row === 'last'

function openId<Row>(
  row: string | undefined,
  rows: readonly Row[] | undefined,
  rowId: (row: Row) => string,
): string | undefined {
  if (row === undefined || !isEdge(row)) return row
  const edge = row === 'first' ? rows?.[0] : rows?.at(-1)
  return edge ? rowId(edge) : undefined
}

function hasNextPage(data: ListRows<unknown> | undefined, page: number, pageSize: number): boolean {
  if (!data || data.next !== undefined) return false
  return data.total === undefined ? data.items.length >= pageSize : page * pageSize < data.total
}

function without(search: AnySearch, key: 'row' | 'sort' | 'after'): AnySearch {
  const { [key]: _, at, ...kept } = search
  return key === 'row' || at === undefined ? kept : { ...kept, at }
}
