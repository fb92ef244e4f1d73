import { Box, chakra } from '@chakra-ui/react'
import type { Row as TableRow } from '@tanstack/react-table'
import { useTable } from '@tanstack/react-table'
import { useVirtualizer } from '@tanstack/react-virtual'
import type { KeyboardEvent, MouseEvent, ReactNode } from 'react'
import { useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { usePreference } from '../../core/preferences.ts'
import { CheckField } from '../fields.tsx'
import { ErrorState, SkeletonRows } from '../states.tsx'
import type { Column } from './table-features.ts'
import { features } from './table-features.ts'

/** From this many rows on, only those in view are rendered. */
const VIRTUAL_FROM = 200
/** Heights of a row in pixels: dense by default, comfortable for those who prefer it. */
export const ROW_HEIGHT = { dense: 36, comfortable: 44 } as const

/** Keeps a column in view at that side of its row, parted from what slides under it and coloured as the row is; the header lies above both. */
const PINNED = {
  start: {
    position: 'sticky',
    left: '0',
    zIndex: '1',
    bg: 'inherit',
    borderInlineEndWidth: '1px',
    borderInlineEndColor: 'border.muted',
  },
  end: {
    position: 'sticky',
    right: '0',
    zIndex: '1',
    bg: 'inherit',
    borderInlineStartWidth: '1px',
    borderInlineStartColor: 'border.muted',
  },
} as const

/** Which rows are ticked, by row id. */
export type Selection = Record<string, true>

interface DataTableProps<Row extends object> {
  readonly label: string
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
  readonly height?: string
}

/**
 * A table with a sticky header, dense rows, optional selection and rows that open a side panel (click, or j/k and
 * Enter). Loading, empty and failed each have their own look; more than 200 rows are rendered as they come into view.
 */
export function DataTable<Row extends object>(props: DataTableProps<Row>) {
  const scroller = useRef<HTMLDivElement>(null)
  if (props.error && !props.rows)
    return <ErrorState error={props.error} {...(props.onRetry ? { onRetry: props.onRetry } : {})} />
  if (!props.rows) return <SkeletonRows rows={10} />
  if (props.rows.length === 0) return props.empty
  return (
    <Box
      ref={scroller}
      overflow="auto"
      maxH={props.height ?? 'calc(100dvh - 200px)'}
      as="section"
      aria-label={props.label}
      tabIndex={0}
    >
      <Grid {...props} rows={props.rows} scroller={scroller} />
    </Box>
  )
}

function Grid<Row extends object>(
  props: DataTableProps<Row> & {
    rows: readonly Row[]
    scroller: React.RefObject<HTMLDivElement | null>
  },
) {
  const [density] = usePreference('row-density', 'dense')
  const height = density === 'comfortable' ? ROW_HEIGHT.comfortable : ROW_HEIGHT.dense
  const { selection, onSelection } = props
  const table = useTable({
    features,
    columns: props.columns as Column<Row>[],
    data: props.rows,
    getRowId: props.rowId,
    state: { columnVisibility: props.hiddenColumns ?? {}, rowSelection: selection ?? {} },
    onRowSelectionChange: (change) =>
      onSelection?.(typeof change === 'function' ? change(selection ?? {}) : change),
  })
  const rows = table.getRowModel().rows
  const isVirtual = rows.length > VIRTUAL_FROM
  // oxlint-disable-next-line react/incompatible-library -- the React compiler, which this rule is for, is not in use here.
  const virtualizer = useVirtualizer({
    count: isVirtual ? rows.length : 0,
    getScrollElement: () => props.scroller.current,
    estimateSize: () => height,
    overscan: 12,
  })
  const visible = isVirtual ? virtualizer.getVirtualItems() : null
  const shown = visible ? visible.flatMap((item) => rows[item.index] ?? []) : rows
  const before = visible?.[0]?.start ?? 0
  const after = visible ? virtualizer.getTotalSize() - (visible.at(-1)?.end ?? 0) : 0
  return (
    <chakra.table
      w="full"
      fontSize="13px"
      borderCollapse="separate"
      borderSpacing="0"
      aria-rowcount={rows.length}
    >
      <chakra.thead position="sticky" top="0" zIndex="2" bg="bg.panel">
        {table.getHeaderGroups().map((group) => (
          <chakra.tr key={group.id} bg="inherit">
            {onSelection ? <SelectAll table={table} /> : null}
            {group.headers.map((header) => (
              <chakra.th
                key={header.id}
                scope="col"
                px="2.5"
                h="34px"
                borderBottomWidth="1px"
                borderColor="border"
                fontWeight="500"
                fontSize="xs"
                color="fg.muted"
                whiteSpace="nowrap"
                textAlign={header.column.columnDef.meta?.align ?? 'start'}
                {...pinnedTo(header.column.columnDef.meta?.pinned)}
                {...(header.column.columnDef.meta?.width
                  ? { w: header.column.columnDef.meta.width }
                  : {})}
              >
                <table.FlexRender header={header} />
              </chakra.th>
            ))}
          </chakra.tr>
        ))}
      </chakra.thead>
      <tbody>
        {before > 0 ? <Spacer height={before} /> : null}
        {shown.map((row) => (
          <BodyRow key={row.id} {...props} row={row} rowHeight={height}>
            {onSelection ? <SelectRow row={row} /> : null}
            {row.getVisibleCells().map((cell) => (
              <chakra.td
                key={cell.id}
                px="2.5"
                py="1"
                borderBottomWidth="1px"
                borderColor="border.muted"
                whiteSpace="nowrap"
                textAlign={cell.column.columnDef.meta?.align ?? 'start'}
                {...pinnedTo(cell.column.columnDef.meta?.pinned)}
                {...(cell.column.columnDef.meta?.align
                  ? { fontVariantNumeric: 'tabular-nums' }
                  : {})}
              >
                <table.FlexRender cell={cell} />
              </chakra.td>
            ))}
          </BodyRow>
        ))}
        {after > 0 ? <Spacer height={after} /> : null}
      </tbody>
    </chakra.table>
  )
}

const pinnedTo = (side: 'start' | 'end' | undefined) => (side === undefined ? {} : PINNED[side])

function BodyRow<Row extends object>(
  props: DataTableProps<Row> & {
    row: TableRow<typeof features, Row>
    rowHeight: number
    children: ReactNode
  },
) {
  const { row, onOpenRow } = props
  const open = (event: MouseEvent | KeyboardEvent) => {
    if (onOpenRow && !isOnControl(event)) onOpenRow(row.original)
  }
  return (
    <chakra.tr
      height={`${props.rowHeight}px`}
      bg={row.id === props.openRowId ? 'bg.muted' : 'bg.panel'}
      _hover={{ bg: 'bg.subtle' }}
      {...(onOpenRow
        ? {
            tabIndex: 0,
            cursor: 'pointer',
            onClick: open,
            onKeyDown: (event: KeyboardEvent) => {
              if (event.key === 'Enter') open(event)
              else moveBetweenRows(event)
            },
          }
        : {})}
    >
      {props.children}
    </chakra.tr>
  )
}

/** A click or key on a button inside the row belongs to that button. */
function isOnControl(event: MouseEvent | KeyboardEvent): boolean {
  const control = (event.target as Element).closest(
    'button, a, input, label, select, [role=menuitem]',
  )
  return control !== null && event.currentTarget.contains(control)
}

function moveBetweenRows(event: KeyboardEvent): void {
  const isDown = event.key === 'j' || event.key === 'ArrowDown'
  const isUp = event.key === 'k' || event.key === 'ArrowUp'
  const row = (event.target as Element).closest('tr')
  if ((!isDown && !isUp) || !row || event.target !== row) return
  const next = isDown ? row.nextElementSibling : row.previousElementSibling
  if (!(next instanceof HTMLElement)) return
  event.preventDefault()
  next.focus()
}

function SelectAll(props: {
  table: {
    getIsAllRowsSelected: () => boolean
    getIsSomeRowsSelected: () => boolean
    toggleAllRowsSelected: (isSelected: boolean) => void
  }
}) {
  const { t } = useTranslation()
  const some = props.table.getIsSomeRowsSelected() ? 'indeterminate' : false
  return (
    <chakra.th w="36px" ps="3" textAlign="start" borderBottomWidth="1px" borderColor="border">
      <CheckField
        label={t('table.selectAll')}
        isLabelHidden
        isChecked={props.table.getIsAllRowsSelected() || some}
        onChange={(isChecked) => props.table.toggleAllRowsSelected(isChecked)}
      />
    </chakra.th>
  )
}

function SelectRow<Row extends object>({ row }: { row: TableRow<typeof features, Row> }) {
  const { t } = useTranslation()
  return (
    <chakra.td ps="3" borderBottomWidth="1px" borderColor="border.muted">
      <CheckField
        label={t('table.selectRow', { id: row.id })}
        isLabelHidden
        isChecked={row.getIsSelected()}
        onChange={(isChecked) => row.toggleSelected(isChecked)}
      />
    </chakra.td>
  )
}

function Spacer({ height }: { height: number }) {
  return (
    <tr aria-hidden>
      <chakra.td h={`${height}px`} p="0" />
    </tr>
  )
}
