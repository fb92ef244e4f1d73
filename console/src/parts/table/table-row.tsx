import type { Row as TableRow } from '@tanstack/react-table'
import { FlexRender } from '@tanstack/react-table'
import type { KeyboardEvent, MouseEvent } from 'react'
import { memo } from 'react'
import { useTranslation } from 'react-i18next'
import type { features } from './table-features.ts'

interface RowProps<Row extends object> {
  readonly row: TableRow<typeof features, Row>
  /** Changes when columns do, so that a remembered row is drawn anew then. */
  readonly columns: unknown
  readonly isOpen: boolean
  /** The one row that Tab leads to. */
  readonly isCurrent: boolean
  /** Undefined where rows cannot be ticked. */
  readonly isSelected: boolean | undefined
  readonly onSelect: (id: string, isSelected: boolean) => void
  /** Undefined where rows do not open. */
  readonly onOpen: ((row: Row) => void) | undefined
  readonly onFocus: (id: string) => void
}

/** One row of plain cells. It is drawn again only when something of its own changes. */
export const BodyRow = memo(PlainRow) as typeof PlainRow

function PlainRow<Row extends object>(props: RowProps<Row>) {
  const { row, onOpen } = props
  const open = (event: MouseEvent | KeyboardEvent) => {
    if (onOpen && !isOnControl(event) && !hasSelectedText()) onOpen(row.original)
  }
  return (
    <tr
      data-row={row.id}
      data-openable={onOpen ? '' : undefined}
      aria-current={props.isOpen || undefined}
      tabIndex={props.isCurrent ? 0 : -1}
      onFocus={() => props.onFocus(row.id)}
      onClick={open}
      onKeyDown={(event) => {
        if (event.key === 'Enter') open(event)
      }}
    >
      {props.isSelected === undefined ? null : (
        <td data-select="">
          <SelectBox
            id={row.id}
            isSelected={props.isSelected}
            onSelect={(isSelected) => props.onSelect(row.id, isSelected)}
          />
        </td>
      )}
      {row.getVisibleCells().map((cell) => {
        const { meta } = cell.column.columnDef
        return (
          <td
            key={cell.id}
            {...(meta?.align ? { 'data-align': meta.align } : {})}
            {...(meta?.pinned ? { 'data-pinned': meta.pinned } : {})}
          >
            {meta?.isWrapping ? (
              <div data-lines="">
                <FlexRender cell={cell} />
              </div>
            ) : (
              <FlexRender cell={cell} />
            )}
          </td>
        )
      })}
    </tr>
  )
}

/** The box that ticks a row. */
export function SelectBox(props: {
  id: string
  isSelected: boolean
  onSelect: (isSelected: boolean) => void
}) {
  const { t } = useTranslation()
  return (
    <input
      type="checkbox"
      aria-label={t('table.selectRow', { id: props.id })}
      checked={props.isSelected}
      onChange={(event) => props.onSelect(event.target.checked)}
    />
  )
}

/** A click or key on a button inside the row belongs to that button. */
function isOnControl(event: MouseEvent | KeyboardEvent): boolean {
  const control = (event.target as Element).closest(
    'button, a, input, label, select, [role=menuitem]',
  )
  return control !== null && event.currentTarget.contains(control)
}

/** Dragging over a row to copy from it does not open it. */
const hasSelectedText = (): boolean => (getSelection()?.toString() ?? '') !== ''
