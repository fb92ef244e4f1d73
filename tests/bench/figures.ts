/** One line of the bench's table. */
export interface Figure {
  readonly what: string
  /** As measured, with its unit, such as `9,412 req/s (0.71 × bare)`. */
  readonly measured: string
  /** Target of architecture 9, such as `≥ 0.6 × bare`; '' where there is none. */
  readonly target: string
  /** Null where there is no target. */
  readonly isReached: boolean | null
}

/** The table as text, one line a figure, with a mark for targets reached and missed. */
export function table(figures: readonly Figure[]): string {
  const rows = [['', 'what', 'measured', 'target'], ...figures.map(row)]
  const widths = rows[0]?.map((_, column) =>
    Math.max(...rows.map((cells) => cells[column]?.length ?? 0)),
  )
  return rows
    .map((cells) =>
      cells
        .map((cell, column) => cell.padEnd(widths?.[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

const row = ({ what, measured, target, isReached }: Figure): string[] => [
  isReached === null ? ' ' : isReached ? '✓' : '✗',
  what,
  measured,
  target,
]

/** 12345.6 → `12,346`. */
export const whole = (value: number): string => Math.round(value).toLocaleString('en-US')
/** 0.7134 → `0.71`. */
export const fraction = (value: number): string => value.toFixed(2)
