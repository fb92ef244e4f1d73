import { Box, Button, chakra, Flex, Heading, Skeleton, Text } from '@chakra-ui/react'
import { ChartColumn, Table2 } from 'lucide-react'
import type { ReactNode } from 'react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Panel } from '../page.tsx'

/** The figures of a chart as a table. Cells are shown as they come. */
export interface ChartTwin {
  readonly columns: readonly { readonly label: string; readonly align?: 'end' }[]
  readonly rows: readonly { readonly key: string; readonly cells: readonly ReactNode[] }[]
}

interface ChartProps {
  readonly title: string
  readonly subtitle?: ReactNode
  /** Pixels kept for the drawing, so that nothing jumps when it arrives. */
  readonly height: number
  readonly isLoading: boolean
  readonly twin: () => ChartTwin
  /** Below the drawing. */
  readonly legend?: ReactNode
  readonly children: ReactNode
}

/**
 * A chart with its title, and the same figures as a table one click away. That there is nothing to draw, or that it
 * failed, the page says once for all its charts.
 */
export function Chart(props: ChartProps) {
  const { t } = useTranslation()
  const [isTable, setTable] = useState(false)
  const label = isTable ? t('chart.showChart') : t('chart.showTable')
  return (
    <Panel>
      <Flex align="start" justify="space-between" gap="3" px="4" pt="3">
        <Box minW="0">
          <Heading as="h2" size="sm" fontWeight="600">
            {props.title}
          </Heading>
          {props.subtitle ? (
            <Text color="fg.muted" fontSize="xs">
              {props.subtitle}
            </Text>
          ) : null}
        </Box>
        <Button
          size="2xs"
          variant="ghost"
          color="fg.muted"
          aria-label={t('chart.toggleOf', { label, title: props.title })}
          onClick={() => setTable(!isTable)}
        >
          {isTable ? <ChartColumn size={13} aria-hidden /> : <Table2 size={13} aria-hidden />}
          {label}
        </Button>
      </Flex>
      <Box px="4" pt="3" pb="4">
        <Body {...props} isTable={isTable} />
      </Box>
    </Panel>
  )
}

function Body(props: ChartProps & { isTable: boolean }) {
  if (props.isLoading) return <Skeleton height={`${props.height}px`} borderRadius="l2" />
  if (props.isTable)
    return <TwinTable label={props.title} height={props.height} {...props.twin()} />
  return (
    <>
      {props.children}
      {props.legend}
    </>
  )
}

function TwinTable(props: ChartTwin & { label: string; height: number }) {
  return (
    <Box
      as="section"
      overflow="auto"
      maxH={`${Math.max(props.height, 240)}px`}
      aria-label={props.label}
      tabIndex={0}
    >
      <chakra.table w="full" fontSize="sm" borderCollapse="separate" borderSpacing="0">
        <chakra.thead position="sticky" top="0" bg="bg.panel">
          <tr>
            {props.columns.map((column) => (
              <chakra.th
                key={column.label}
                scope="col"
                h="30px"
                px="2"
                fontWeight="500"
                fontSize="xs"
                color="fg.muted"
                whiteSpace="nowrap"
                borderBottomWidth="1px"
                borderColor="border"
                textAlign={column.align ?? 'start'}
              >
                {column.label}
              </chakra.th>
            ))}
          </tr>
        </chakra.thead>
        <tbody>
          {props.rows.map((row) => (
            <tr key={row.key}>
              {row.cells.map((cell, index) => (
                <chakra.td
                  // oxlint-disable-next-line react/no-array-index-key -- a cell's place in its row is what it is.
                  key={index}
                  h="30px"
                  px="2"
                  whiteSpace="nowrap"
                  fontVariantNumeric="tabular-nums"
                  borderBottomWidth="1px"
                  borderColor="border.muted"
                  textAlign={props.columns[index]?.align ?? 'start'}
                >
                  {cell}
                </chakra.td>
              ))}
            </tr>
          ))}
        </tbody>
      </chakra.table>
    </Box>
  )
}
