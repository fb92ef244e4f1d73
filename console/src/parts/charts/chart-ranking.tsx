import { chakra } from '@chakra-ui/react'
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

/** Said once for all lines: a component for each is too slow on a phone. */
const RANKING_CSS = {
  display: 'grid',
  gap: '2.5',
  listStyleType: 'none',
  '& [data-line]': {
    display: 'flex',
    alignItems: 'baseline',
    justifyContent: 'space-between',
    gap: '3',
    fontSize: 'sm',
  },
  '& [data-name]': { minW: '0', truncate: true },
  '& [data-value]': {
    display: 'flex',
    gap: '2',
    whiteSpace: 'nowrap',
    fontVariantNumeric: 'tabular-nums',
  },
  '& [data-share]': { minW: '3.4em', textAlign: 'end', color: 'fg.muted' },
  '& [data-bar]': { mt: '1', bg: 'bg.muted', borderRadius: 'l1', overflow: 'hidden' },
} as const

/**
 * Names with bars, greatest first, labelled directly with value and share of `total`, which a full bar stands for. The
 * bars are decoration: every figure stands beside them as text.
 */
export function Ranking(props: { rows: readonly RankingRow[]; total: number }) {
  return (
    <chakra.ol css={RANKING_CSS}>
      {props.rows.map((row) => (
        <li key={row.key}>
          <div data-line="">
            <div data-name="">{row.name}</div>
            <div data-value="">
              {row.text}
              <span data-share="">{share(row.value, props.total)}</span>
            </div>
          </div>
          <RankingBar row={row} total={props.total} />
        </li>
      ))}
    </chakra.ol>
  )
}

function RankingBar({ row, total }: { row: RankingRow; total: number }) {
  const part = total > 0 ? Math.min(1, row.value / total) : 0
  const width = `${Math.max(part * 100, row.value > 0 ? 0.5 : 0)}%`
  return (
    <div data-bar="">
      <svg width={width} height="8" aria-hidden style={{ display: 'block' }}>
        <MarkPatterns marks={[row.mark]} />
        <rect width="100%" height="8" fill={fillOf(row.mark)} />
      </svg>
    </div>
  )
}

/** A part of a whole in percent with one decimal; parts too small for that say so. */
export function share(value: number, total: number): string {
  if (total <= 0 || value <= 0) return '0%'
  const percent = (value / total) * 100
  return percent < 0.1 ? '<0.1%' : `${percent.toFixed(1)}%`
}
