import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { Opens } from '../../parts/opens.tsx'
import type { PriceRevision } from './queries.ts'

/** A figure of the charges that a revision priced, leading to them in the usage log; plain where there are none. */
export function ChargesLink({
  revision: { number, charges },
  children,
}: {
  revision: Pick<PriceRevision, 'number' | 'charges'>
  children: ReactNode
}) {
  if (charges === 0) return children
  return (
    <Opens>
      <Link to="/log" search={{ revision: number }}>
        {children}
      </Link>
    </Opens>
  )
}
