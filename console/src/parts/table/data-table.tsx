import { Box, chakra, Skeleton } from '@chakra-ui/react'
import { useTable } from '@tanstack/react-table'
import type { ReactNode, RefObject } from 'react'
import { lazy, Suspense, useCallback, useEffect, useMemo, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { usePreference } from '../../core/preferences.ts'
import { CheckField } from '../choice-fields.tsx'
import { useIsPhone } from '../media.ts'
import { ErrorState, SkeletonRows } from '../states.tsx'
import { useLatest } from '../use-latest.ts'
import { useWidthOf } from '../use-size.ts'
import { cssWidths, leftOut, SELECT_WIDTH, useColumnWidths, widthOf } from './column-widths.ts'
import { RowCards } from './row-cards.tsx'
import { isKeyTaken, rowStep, stepped } from './row-keys.ts'
import { sortRows } from './sort-rows.ts'
import type { Column, ColumnMeta } from './table-features.ts'
import { features } from './table-features.ts'
import { HeadCell } from './table-head.tsx'
import { BodyRow } from './table-row.tsx'
import { TABLE_CSS } from './table-style.ts'

const VirtualRows = lazy(() => import('./virtual-rows.tsx'))

/** From this many rows on, only those in view are rendered. */
const VIRTUAL_FROM = 100
/** Heights of a row in pixels: dense by default, comfortable for those who prefer it. */
const ROW_HEIGHT = { dense: 36, comfortable: 44 } as const
/** Pixels of a row of two lines, as on a phone. */
const CARD_HEIGHT = 64
/** Rows that stand in for those to come when nobody knows how many. */
const SKELETON_ROWS = 10

/** Which rows are ticked, by row id. */
export type Selection = Record<string, true>

interface DataTableProps<Row extends object> {
  readonly label: string
  /** Under which dragged widths are remembered; without it columns cannot be dragged. */
  readonly name?: string
  readonly columns: readonly Column<Row>[]
  readonly rows: readonly Row[] | undefined
  readonly rowId: (row: Row) => string
  readonly error?: unknown
  readonly onRetry?: () => void
  readonly empty: ReactNode
  readonly hiddenColumns?: Record<string, boolean>
  readonly selection?: Selection
  readonly onSelection?: (selection: Selection) => void
  readonly openRowId?: string | undefined
  readonly onOpenRow?: (row: Row) => void
  /** `name` upwards, `-name` downwards. */
  readonly sort?: string | undefined
  readonly onSort?: (sort: string | undefined) => void
  /** How many rows are expected while there are none. */
  readonly expected?: number
  readonly height?: string
}

/**
 * A table of plain cells: fixed widths that can be dragged, a sticky header, sorting by a click on it, and one row at a
 * time that Tab leads to, moved by j and k from anywhere on the page. On a phone the rows are two lines each. Loading
 * keeps the header and the size; more than 100 rows are rendered as they come into view.
 */
export function DataTable<Row extends object>(props: DataTableProps<Row>) {
  const scroller = useRef<HTMLDivElement>(null)
  const isPhone = useIsPhone()
  const isForPhone = props.columns.some((column) => column.meta?.phone !== undefined)
  if (props.error && !props.rows)
    return <ErrorState error={props.error} {...(props.onRetry ? { onRetry: props.onRetry } : {})} />
  if (props.rows?.length === 0) return props.empty
  const isCards = isPhone && isForPhone
  return (
    <Box
      ref={scroller}
      overflow="auto"
      containerType="inline-size"
      {...(isCards
        ? {}
        : { maxH: props.height ?? 'calc(100dvh - var(--frame-top, 48px) - 152px)', tabIndex: 0 })}
      as="section"
      aria-label={props.label}
      aria-busy={!props.rows}
    >
      <Grid {...props} isCards={isCards} scroller={scroller} />
    </Box>
  )
}

type GridProps<Row extends object> = DataTableProps<Row> & {
  readonly isCards: boolean
  readonly scroller: RefObject<HTMLDivElement | null>
}

const NO_ROWS: readonly never[] = []

function Grid<Row extends object>(props: GridProps<Row>) {
  const [density] = usePreference('row-density', 'dense')
  const height = density === 'comfortable' ? ROW_HEIGHT.comfortable : ROW_HEIGHT.dense
  const { columns, selection, sort } = props
  const data = useMemo(
    () => sortRows(props.rows ?? NO_ROWS, columns, sort),
    [props.rows, columns, sort],
  )
  const [widths, setWidth] = useColumnWidths(props.name ?? '')
  const table = useTable({
    features,
    columns: columns as Column<Row>[],
    data,
    getRowId: props.rowId,
    state: { columnVisibility: useShownColumns(props, widths) },
  })
  const rows = table.getRowModel().rows
  const select = useSelect(props)
  const open = useStable(props.onOpenRow)
  const isVirtual = rows.length > VIRTUAL_FROM
  const reveal = useRef<(index: number) => void>(() => {})
  const ids = useMemo(() => rows.map((row) => row.id), [rows])
  const [current, setCurrent] = useRovingRow(props, ids, (index) => reveal.current(index))
  const leaves = table.getVisibleLeafColumns()
  const columnsKey = useMemo(
    () => [columns, leaves.map((column) => column.id).join()],
    // oxlint-disable-next-line react/exhaustive-deps -- the names of the columns stand for them.
    [columns, leaves.map((column) => column.id).join()],
  )
  if (props.isCards && !props.rows)
    return <SkeletonRows rows={props.expected ?? SKELETON_ROWS} height={`${CARD_HEIGHT}px`} />
  if (props.isCards)
    return (
      <RowCards
        label={props.label}
        rows={rows}
        openRowId={props.openRowId}
        selection={props.onSelection ? selection : undefined}
        onSelect={select}
        onOpen={props.onOpenRow}
      />
    )
  const skeleton = (
    <SkeletonBody
      rows={props.expected ?? SKELETON_ROWS}
      aligns={[
        ...(props.onSelection ? [undefined] : []),
        ...leaves.map((column) => column.columnDef.meta?.align),
      ]}
    />
  )
  const bodyRow = (row: (typeof rows)[number]) => (
    <BodyRow
      key={row.id}
      row={row}
      columns={columnsKey}
      isOpen={row.id === props.openRowId}
      isCurrent={row.id === current}
      isSelected={props.onSelection ? selection?.[row.id] === true : undefined}
      onSelect={select}
      onOpen={open}
      onFocus={setCurrent}
    />
  )
  const sizes = leaves.map((column) => ({
    id: column.id,
    ...widthOf(column.id, column.columnDef.meta, widths),
  }))
  const least = sizes.reduce((sum, size) => sum + size.width, selection ? SELECT_WIDTH : 0)
  return (
    <chakra.table css={TABLE_CSS} minW={`${least}px`} aria-rowcount={rows.length}>
      <colgroup>
        {props.onSelection ? <col style={{ width: SELECT_WIDTH }} /> : null}
        {cssWidths(sizes, least).map((width, index) => (
          <col key={sizes[index]?.id} style={{ width }} />
        ))}
      </colgroup>
      <thead>
        {table.getHeaderGroups().map((group) => (
          <tr key={group.id}>
            {props.onSelection ? <SelectAll {...props} ids={ids} /> : null}
            {group.headers.map((header, index) => (
              <HeadCell
                key={header.id}
                header={header}
                width={sizes[index]?.width ?? 0}
                sort={sort}
                onSort={props.onSort}
                onWidth={props.name === undefined ? undefined : setWidth}
              />
            ))}
          </tr>
        ))}
      </thead>
      <tbody style={{ '--row-height': `${height}px` } as React.CSSProperties}>
        {props.rows ? null : skeleton}
        {isVirtual ? (
          <Suspense fallback={skeleton}>
            <VirtualRows
              count={rows.length}
              height={height}
              scroller={props.scroller}
              reveal={reveal}
            >
              {(index) => (rows[index] ? bodyRow(rows[index]) : null)}
            </VirtualRows>
          </Suspense>
        ) : (
          rows.map(bodyRow)
        )}
      </tbody>
    </chakra.table>
  )
}

interface NamedColumn {
  readonly id?: string
  readonly accessorKey?: string
  readonly meta?: ColumnMeta
}

/** Which columns are shown: those that were chosen, and beside an open panel those of them that fit. */
function useShownColumns<Row extends object>(
  props: GridProps<Row>,
  widths: Parameters<typeof widthOf>[2],
): Record<string, boolean> {
  const { columns, hiddenColumns, openRowId, scroller, onSelection } = props
  const room = useWidthOf(scroller, openRowId !== undefined && !props.isCards)
  return useMemo(() => {
    const chosen = hiddenColumns ?? {}
    if (room === 0) return chosen
    const sizes = (columns as readonly NamedColumn[]).flatMap(({ id, accessorKey, meta }) => {
      const name = id ?? accessorKey ?? ''
      return chosen[name] === false
        ? []
        : [{ id: name, meta, width: widthOf(name, meta, widths).width }]
    })
    const out = leftOut(sizes, room - (onSelection ? SELECT_WIDTH : 0))
    return { ...chosen, ...Object.fromEntries([...out].map((id) => [id, false])) }
  }, [columns, hiddenColumns, widths, room, onSelection])
}

/** The one row that Tab leads to: the one focused last, else the open one, else the first. */
function useRovingRow<Row extends object>(
  { scroller, openRowId }: GridProps<Row>,
  ids: readonly string[],
  bringIntoView: (index: number) => void,
): readonly [string | undefined, (id: string) => void] {
  const [wanted, setWanted] = useState<string>()
  const known = [wanted, openRowId].find((id) => id !== undefined && ids.includes(id))
  const current = known ?? ids[0]
  const move = useRef<(event: KeyboardEvent) => void>(() => {})
  useEffect(() => {
    move.current = (event) => {
      const box = scroller.current
      if (!box || isKeyTaken(event)) return
      const row = (event.target as Element).closest('tr[data-row]')
      const isOnRow = row !== null && box.contains(row)
      // Where several tables are on a page, the letters are for the one with the focus, else for the first.
      if (
        !isOnRow &&
        (row !== null ||
          document.querySelector('table[aria-rowcount]') !== box.querySelector('table'))
      )
        return
      const step = rowStep(event, isOnRow)
      if (!step || ids.length === 0) return
      // While a row is open in a panel, the panel goes through the rows.
      if (openRowId !== undefined && 'by' in step && Math.abs(step.by) === 1) return
      event.preventDefault()
      const from = isOnRow
        ? ids.indexOf(row.getAttribute('data-row') ?? '')
        : ids.indexOf(known ?? '')
      const to = stepped(from, step, ids.length)
      bringIntoView(to)
      setWanted(ids[to])
      requestAnimationFrame(() => focusRow(box, ids[to] ?? ''))
    }
  })
  useEffect(() => {
    const press = (event: KeyboardEvent) => move.current(event)
    document.addEventListener('keydown', press)
    return () => document.removeEventListener('keydown', press)
  }, [])
  return [current, setWanted]
}

function focusRow(box: HTMLElement, id: string): void {
  const row = box.querySelector<HTMLElement>(`tr[data-row="${CSS.escape(id)}"]`)
  row?.focus({ preventScroll: true })
  row?.scrollIntoView({ block: 'nearest' })
}

/** Ticks a row or not; the same function for as long as the table is there, so that rows stay as they are. */
function useSelect<Row extends object>(props: GridProps<Row>) {
  const latestRef = useLatest(props)
  return useCallback(
    (id: string, isSelected: boolean) => {
      const { [id]: _, ...others } = latestRef.current.selection ?? {}
      latestRef.current.onSelection?.(isSelected ? { ...others, [id]: true } : others)
    },
    [latestRef],
  )
}

function useStable<Row>(open: ((row: Row) => void) | undefined): ((row: Row) => void) | undefined {
  const latestRef = useLatest(open)
  const stable = useCallback((row: Row) => latestRef.current?.(row), [latestRef])
  return open ? stable : undefined
}

function SelectAll(props: {
  selection?: Selection
  onSelection?: (selection: Selection) => void
  ids: readonly string[]
}) {
  const { t } = useTranslation()
  const { ids, selection = {} } = props
  const selected = ids.filter((id) => selection[id]).length
  const isAll = selected > 0 && selected === ids.length
  return (
    <th data-select="">
      <CheckField
        label={t('table.selectAll')}
        isLabelHidden
        isDisabled={ids.length === 0}
        isChecked={isAll || (selected > 0 ? 'indeterminate' : false)}
        onChange={(isChecked) =>
          props.onSelection?.(isChecked ? Object.fromEntries(ids.map((id) => [id, true])) : {})
        }
      />
    </th>
  )
}

/** Bars where the cells of rows that are not read yet will stand, each at its column's side. */
function SkeletonBody(props: { rows: number; aligns: readonly ('end' | undefined)[] }) {
  const { rows, aligns } = props
  return Array.from({ length: rows }, (_, row) => (
    <tr key={row} aria-hidden>
      {aligns.map((align, column) => (
        <td key={column}>
          <Skeleton
            height="10px"
            width={column % 3 === 1 ? '80%' : '55%'}
            {...(align === 'end' ? { ms: 'auto' } : {})}
          />
        </td>
      ))}
    </tr>
  ))
}
