import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { Opens } from '../../parts/opens.tsx'

/** Which rows of the usage log a figure stands for. Times in unix seconds, both inclusive. */
export interface LogFilter {
  readonly start?: number
  readonly end?: number
  readonly model?: string
  readonly username?: string
  readonly token?: string
  readonly channel?: number
}

/** The usage log's address fields for the rows behind a figure (type 2 = consumption). */
export function logSearch(filter: LogFilter) {
  return { type: 2, ...filter }
}

/** A figure or a name that opens the rows behind it. */
export function LogLink({ filter, children }: { filter: LogFilter; children: ReactNode }) {
  return (
    <Opens>
      <Link to="/log" search={logSearch(filter)}>
        {children}
      </Link>
    </Opens>
  )
}
