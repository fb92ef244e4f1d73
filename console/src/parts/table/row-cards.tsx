import { chakra } from '@chakra-ui/react'
import type { Row as TableRow } from '@tanstack/react-table'
import { FlexRender } from '@tanstack/react-table'
import { WithoutHeader } from '../quota.tsx'
import type { Selection } from './data-table.tsx'
import type { features, PhonePlace } from './table-features.ts'
import { SelectBox } from './table-row.tsx'

/** The look of the rows, said once for all of them: a component for each cell is too slow for dozens of them. */
const CARDS_CSS = {
  listStyleType: 'none',
  '& > li': { borderBottomWidth: '1px', borderColor: 'border.muted' },
  '& > li[data-open]': { bg: 'bg.muted' },
  '& [data-card]': { display: 'flex', alignItems: 'center', gap: '3', px: '3', py: '2.5' },
  '& [data-lines]': { flex: '1', minW: '0' },
  '& [data-first]': {
    display: 'flex',
    alignItems: 'baseline',
    justifyContent: 'space-between',
    gap: '3',
  },
  '& [data-title]': {
    minW: '45%',
    lineClamp: '3',
    overflowWrap: 'anywhere',
    fontWeight: '500',
    '& > button': { maxW: 'full', textAlign: 'start' },
  },
  '& [data-values]': { textAlign: 'end', fontVariantNumeric: 'tabular-nums' },
  // Where both do not fit into one line, the name stands above its figure.
  '& [data-value]': {
    display: 'flex',
    flexWrap: 'wrap',
    alignItems: 'baseline',
    justifyContent: 'flex-end',
    columnGap: '1.5',
  },
  '& [data-name]': { fontSize: 'xs', color: 'fg.muted' },
  '& [data-meta]': {
    display: 'flex',
    flexWrap: 'wrap',
    alignItems: 'center',
    gap: '2',
    mt: '1',
    fontSize: 'xs',
    color: 'fg.muted',
    // A cell without content takes no gap, and one with a long text gives way.
    '& > *': { minWidth: '0', maxWidth: '100%' },
    '& > :empty': { display: 'none' },
  },
} as const

/** Rows on a phone: two lines each, with the value at the right, as the columns' places say. */
export function RowCards<Row extends object>(props: {
  label: string
  rows: readonly TableRow<typeof features, Row>[]
  openRowId: string | undefined
  selection: Selection | undefined
  onSelect: (id: string, isSelected: boolean) => void
  onOpen: ((row: Row) => void) | undefined
}) {
  return (
    <WithoutHeader value>
      <chakra.ul css={CARDS_CSS} aria-label={props.label}>
        {props.rows.map((row) => (
          <li
            key={row.id}
            data-row={row.id}
            {...(row.id === props.openRowId ? { 'data-open': '' } : {})}
          >
            <div data-card="">
              {props.selection ? (
                <SelectBox
                  id={row.id}
                  isSelected={props.selection[row.id] === true}
                  onSelect={(isSelected) => props.onSelect(row.id, isSelected)}
                />
              ) : null}
              <div data-lines="">
                <div data-first="">
                  <div data-title="">
                    <Title row={row} onOpen={props.onOpen} />
                  </div>
                  <div data-values="">
                    <Values row={row} />
                  </div>
                </div>
                <div data-meta="">
                  <Cells row={row} place="meta" />
                </div>
              </div>
              <Cells row={row} place="actions" />
            </div>
          </li>
        ))}
      </chakra.ul>
    </WithoutHeader>
  )
}

function Title<Row extends object>(props: {
  row: TableRow<typeof features, Row>
  onOpen: ((row: Row) => void) | undefined
}) {
  const { row, onOpen } = props
  if (!onOpen) return <Cells row={row} place="title" />
  return (
    <button type="button" onClick={() => onOpen(row.original)}>
      <Cells row={row} place="title" />
    </button>
  )
}

/** The figures at the right, each after its column's name: there is no header to say what it is. */
function Values<Row extends object>(props: { row: TableRow<typeof features, Row> }) {
  return cellsAt(props.row, 'value').map((cell) => {
    const { header, meta } = cell.column.columnDef
    return (
      <div key={cell.id} data-value="">
        {typeof header === 'string' && !isNamed(meta?.isNamed, props.row.original) ? (
          <span data-name="">{withoutUnit(header)}</span>
        ) : null}
        <FlexRender cell={cell} />
      </div>
    )
  })
}

const isNamed = (named: true | ((row: never) => boolean) | undefined, row: object): boolean =>
  typeof named === 'function' ? named(row as never) : named === true

/** Amounts carry their unit where no header does. */
const withoutUnit = (header: string): string => header.replace(/\s*[（(].*[)）]$/u, '')

const cellsAt = <Row extends object>(row: TableRow<typeof features, Row>, place: PhonePlace) =>
  row.getAllCells().filter((cell) => cell.column.columnDef.meta?.phone === place)

function Cells<Row extends object>(props: {
  row: TableRow<typeof features, Row>
  place: PhonePlace
}) {
  return cellsAt(props.row, props.place).map((cell) => (
    // An element of its own: two texts beside each other would be one item of the line, without a gap.
    <span key={cell.id}>
      <FlexRender cell={cell} />
    </span>
  ))
}
