import { Link } from '@tanstack/react-router'
import type { ReactElement, ReactNode } from 'react'
import { useIsAdmin } from '../core/session.ts'
import { Opens } from './opens.tsx'

/** A booking, as far as it says what it came from. */
export interface Booking {
  /** Kind of the booking, such as `redemption`. */
  readonly source: string
  /** Request id, id of a code, order number, or the invitee of a reward; '' = none. */
  readonly reference: string
  /** Position of its event in the log. */
  readonly position: number
}

/**
 * Leads from a booking to its cause: the charge that is explained, the code, the order or the invited user. Where none is
 * named, administrators come to its event, and users see the words alone.
 */
export function CauseLink({ children, ...booking }: Booking & { children: ReactNode }) {
  const isAdmin = useIsAdmin()
  const link = causeLink(booking, isAdmin, children)
  return link === null ? children : <Opens>{link}</Opens>
}

function causeLink(
  { source, reference, position }: Booking,
  isAdmin: boolean,
  children: ReactNode,
): ReactElement<{ className?: string }> | null {
  if (reference !== '' && (source === 'usage' || source === 'usage-refund'))
    return (
      <Link to="/audit/charges/$requestId" params={{ requestId: reference }}>
        {children}
      </Link>
    )
  if (!isAdmin)
    return source === 'redemption' || source === 'top-up' ? (
      <Link to="/topup">{children}</Link>
    ) : null
  if (reference !== '' && source === 'redemption')
    return (
      <Link to="/redemption" search={{ row: reference }}>
        {children}
      </Link>
    )
  if (reference !== '' && source === 'top-up')
    return (
      <Link to="/audit/orders" search={{ row: reference }}>
        {children}
      </Link>
    )
  if (reference !== '' && source === 'affiliate-reward')
    return (
      <Link to="/user" search={{ keyword: reference }}>
        {children}
      </Link>
    )
  return (
    <Link to="/audit/events/$position" params={{ position: String(position) }}>
      {children}
    </Link>
  )
}
