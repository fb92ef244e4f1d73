import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { Opens } from './opens.tsx'

/** The lines of a statement that a figure is made of; start and end in unix seconds. */
interface StatementPart {
  readonly term?: 'credits' | 'charges' | 'refunds'
  readonly token?: number
  readonly group?: 'month' | 'none'
  readonly holds?: true
  readonly start?: number
  readonly end?: number
}

/** A figure over all time, such as what an account has ever spent, by month. */
export const SPENT = { term: 'charges', group: 'month', start: 0 } as const satisfies StatementPart

const DAY = 86_400

/** The credits of the day that begins at a moment (unix seconds), one by one: where a code or order is booked. */
export const creditsFrom = (at: number): StatementPart => ({
  term: 'credits',
  group: 'none',
  start: Math.max(0, at - 1),
  end: at + DAY,
})

/** The holds of the day before a moment (unix seconds): where quota held then is booked. */
export const holdsBefore = (at: number): StatementPart => ({
  group: 'none',
  holds: true,
  start: Math.max(0, at - DAY),
  end: at,
})

/** A figure that opens the statement it stands in: the reader's own, or (for administrators) a user's. */
export function StatementLink(props: { user?: number; part?: StatementPart; children: ReactNode }) {
  const { user, part = {}, children } = props
  return (
    <Opens>
      {user === undefined ? (
        <Link to="/statement" search={part}>
          {children}
        </Link>
      ) : (
        <Link to="/audit/statement" search={{ user, ...part }}>
          {children}
        </Link>
      )}
    </Opens>
  )
}
