import { Link } from '@tanstack/react-router'
import { Opens } from './opens.tsx'
import { grouped } from './quota-format.ts'

/** A position of the log, leading to the event there. */
export const EventLink = ({ position }: { position: number }) => (
  <Opens>
    <Link to="/audit/events/$position" params={{ position: String(position) }}>
      {grouped(position, 0)}
    </Link>
  </Opens>
)
