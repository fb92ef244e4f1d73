import { chakra } from '@chakra-ui/react'
import type { Header } from '@tanstack/react-table'
import { FlexRender } from '@tanstack/react-table'
import { ArrowDown, ArrowUp } from 'lucide-react'
import type { KeyboardEvent, PointerEvent } from 'react'
import { useTranslation } from 'react-i18next'
import { WIDTH_MAX, WIDTH_MIN } from './column-widths.ts'
import { nextSort, sortOf } from './sort-rows.ts'
import type { features } from './table-features.ts'

/** Pixels that an arrow key makes a column wider or narrower by. */
const KEY_STEP = 16

/** A column's name: sorts where the column can be sorted by, and has an edge to drag. */
export function HeadCell<Row extends object>(props: {
  header: Header<typeof features, Row>
  width: number
  sort: string | undefined
  onSort: ((sort: string | undefined) => void) | undefined
  onWidth: ((column: string, width: number) => void) | undefined
}) {
  const { header, sort, onSort } = props
  const { meta } = header.column.columnDef
  const { id } = header.column
  const sorted = sort !== undefined && sortOf(sort).id === id ? sortOf(sort) : null
  const isSortable = onSort !== undefined && meta?.sortBy !== undefined
  return (
    <th
      scope="col"
      {...(meta?.align ? { 'data-align': meta.align } : {})}
      {...(meta?.pinned ? { 'data-pinned': meta.pinned } : {})}
      {...(sorted ? { 'aria-sort': sorted.isDown ? 'descending' : 'ascending' } : {})}
    >
      {isSortable ? (
        <chakra.button
          type="button"
          maxW="full"
          textAlign="inherit"
          verticalAlign="middle"
          cursor="pointer"
          fontWeight="inherit"
          _hover={{ color: 'fg' }}
          {...(sorted ? { color: 'fg' } : {})}
          onClick={() => onSort(nextSort(sort, id))}
        >
          <FlexRender header={header} />
          {sorted ? <Arrow isDown={sorted.isDown} /> : null}
        </chakra.button>
      ) : (
        <FlexRender header={header} />
      )}
      {props.onWidth && meta?.pinned !== 'end' ? (
        <Edge
          label={
            typeof header.column.columnDef.header === 'string' ? header.column.columnDef.header : id
          }
          width={props.width}
          onWidth={(width) => props.onWidth?.(id, width)}
        />
      ) : null}
    </th>
  )
}

function Arrow({ isDown }: { isDown: boolean }) {
  const Icon = isDown ? ArrowDown : ArrowUp
  return <Icon size={12} aria-hidden style={{ display: 'inline', verticalAlign: '-1px' }} />
}

/** The right edge of a header: dragged, or moved by the arrow keys, it makes the column wider or narrower. */
function Edge(props: { label: string; width: number; onWidth: (width: number) => void }) {
  const { t } = useTranslation()
  const drag = (event: PointerEvent<HTMLElement>) => {
    event.preventDefault()
    const edge = event.currentTarget
    const column = edge.closest('th')?.offsetWidth ?? props.width
    const from = event.clientX
    const move = (moved: globalThis.PointerEvent) => props.onWidth(column + moved.clientX - from)
    const stop = () => {
      edge.removeEventListener('pointermove', move)
      edge.removeEventListener('pointerup', stop)
      edge.removeEventListener('pointercancel', stop)
    }
    edge.setPointerCapture(event.pointerId)
    edge.addEventListener('pointermove', move)
    edge.addEventListener('pointerup', stop)
    edge.addEventListener('pointercancel', stop)
  }
  const press = (event: KeyboardEvent<HTMLElement>) => {
    const step = event.key === 'ArrowRight' ? KEY_STEP : event.key === 'ArrowLeft' ? -KEY_STEP : 0
    if (step === 0) return
    event.preventDefault()
    props.onWidth((event.currentTarget.closest('th')?.offsetWidth ?? props.width) + step)
  }
  return (
    <chakra.span
      // oxlint-disable-next-line jsx-a11y/prefer-tag-over-role -- a range input cannot be dragged beyond its own box.
      role="slider"
      tabIndex={0}
      aria-orientation="horizontal"
      aria-label={t('table.widthOf', { name: props.label })}
      aria-valuemin={WIDTH_MIN}
      aria-valuemax={WIDTH_MAX}
      aria-valuenow={props.width}
      aria-valuetext={t('table.pixels', { n: props.width })}
      onPointerDown={drag}
      onKeyDown={press}
      position="absolute"
      insetY="1"
      right="0"
      w="8px"
      cursor="col-resize"
      touchAction="none"
      borderInlineEndWidth="2px"
      borderColor="transparent"
      _hover={{ borderColor: 'border.emphasized' }}
      _focusVisible={{ outline: 'none', borderColor: 'teal.focusRing' }}
    />
  )
}
