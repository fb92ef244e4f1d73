import { Box, Flex, Grid } from '@chakra-ui/react'
import type { ReactNode } from 'react'
import type { Mark } from './chart-marks.ts'
import { fillOf } from './chart-marks.ts'
import { MarkPatterns } from './chart-swatch.tsx'

/** One line of a ranking. */
export interface RankingRow {
  readonly key: string
  /** The name, possibly as a link to what it stands for. */
  readonly name: ReactNode
  readonly value: number
  /** The value as it is shown. */
  readonly text: ReactNode
  readonly mark: Mark
}

/**
 * Names with bars, greatest first, labelled directly with value and share of `total`, which a full bar stands for. The
 * bars are decoration: every figure stands beside them as text.
 */
export function Ranking(props: { rows: readonly RankingRow[]; total: number }) {
  return (
    <Grid as="ol" gap="2.5" listStyleType="none">
      {props.rows.map((row) => (
        <li key={row.key}>
          <Flex justify="space-between" gap="3" fontSize="sm" align="baseline">
            <Box truncate minW="0">
              {row.name}
            </Box>
            <Flex gap="2" whiteSpace="nowrap" fontVariantNumeric="tabular-nums">
              {row.text}
              <Box color="fg.muted" minW="3.4em" textAlign="end">
                {share(row.value, props.total)}
              </Box>
            </Flex>
          </Flex>
          <RankingBar row={row} total={props.total} />
        </li>
      ))}
    </Grid>
  )
}

function RankingBar({ row, total }: { row: RankingRow; total: number }) {
  const part = total > 0 ? Math.min(1, row.value / total) : 0
  const width = `${Math.max(part * 100, row.value > 0 ? 0.5 : 0)}%`
  return (
    <Box mt="1" bg="bg.muted" borderRadius="l1" overflow="hidden">
      <svg width={width} height="8" aria-hidden style={{ display: 'block' }}>
        <MarkPatterns marks={[row.mark]} />
        <rect width="100%" height="8" fill={fillOf(row.mark)} />
      </svg>
    </Box>
  )
}

/** A part of a whole in percent with one decimal; parts too small for that say so. */
export function share(value: number, total: number): string {
  if (total <= 0 || value <= 0) return '0%'
  const percent = (value / total) * 100
  return percent < 0.1 ? '<0.1%' : `${percent.toFixed(1)}%`
}
