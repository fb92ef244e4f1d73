import { Box, chakra, Flex } from '@chakra-ui/react'
import type { Row as TableRow } from '@tanstack/react-table'
import { FlexRender } from '@tanstack/react-table'
import { WithoutHeader } from '../quota.tsx'
import type { Selection } from './data-table.tsx'
import type { features, PhonePlace } from './table-features.ts'
import { SelectBox } from './table-row.tsx'

/** A cell without content takes no gap, and one with a long text gives way. */
const NO_EMPTY_ITEMS = {
  '& > *': { minWidth: 0, maxWidth: '100%' },
  '& > :empty': { display: 'none' },
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
      <chakra.ul listStyleType="none" aria-label={props.label}>
        {props.rows.map((row) => (
          <chakra.li
            key={row.id}
            data-row={row.id}
            borderBottomWidth="1px"
            borderColor="border.muted"
            bg={row.id === props.openRowId ? 'bg.muted' : undefined}
          >
            <Flex gap="3" px="3" py="2.5" align="center">
              {props.selection ? (
                <SelectBox
                  id={row.id}
                  isSelected={props.selection[row.id] === true}
                  onSelect={(isSelected) => props.onSelect(row.id, isSelected)}
                />
              ) : null}
              <Box flex="1" minW="0">
                <Flex gap="3" justify="space-between" align="baseline">
                  <Box minW="45%" lineClamp="3" overflowWrap="anywhere" fontWeight="500">
                    <Title row={row} onOpen={props.onOpen} />
                  </Box>
                  <Box textAlign="end" fontVariantNumeric="tabular-nums">
                    <Values row={row} />
                  </Box>
                </Flex>
                <Flex
                  gap="2"
                  mt="1"
                  wrap="wrap"
                  align="center"
                  fontSize="xs"
                  color="fg.muted"
                  css={NO_EMPTY_ITEMS}
                >
                  <Cells row={row} place="meta" />
                </Flex>
              </Box>
              <Cells row={row} place="actions" />
            </Flex>
          </chakra.li>
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
    <chakra.button type="button" textAlign="start" maxW="full" onClick={() => onOpen(row.original)}>
      <Cells row={row} place="title" />
    </chakra.button>
  )
}

/** The figures at the right, each after its column's name: there is no header to say what it is. */
function Values<Row extends object>(props: { row: TableRow<typeof features, Row> }) {
  return cellsAt(props.row, 'value').map((cell) => {
    const { header, meta } = cell.column.columnDef
    return (
      // Where both do not fit into one line, the name stands above its figure.
      <Flex key={cell.id} wrap="wrap" justify="flex-end" align="baseline" columnGap="1.5">
        {typeof header === 'string' && !isNamed(meta?.isNamed, props.row.original) ? (
          <chakra.span fontSize="xs" color="fg.muted">
            {withoutUnit(header)}
          </chakra.span>
        ) : null}
        <FlexRender cell={cell} />
      </Flex>
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
