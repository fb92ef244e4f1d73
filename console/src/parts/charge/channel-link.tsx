import { Link } from '@tanstack/react-router'
import { Opens } from '../opens.tsx'

/** A channel's number and name, leading to it in the list of channels. */
export function ChannelLink({ id, name }: { id: number; name: string }) {
  return (
    <Opens>
      <Link to="/channel" search={{ keyword: String(id) }}>
        {`${id} ${name}`.trim()}
      </Link>
    </Opens>
  )
}
