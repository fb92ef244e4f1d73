import { createFileRoute } from '@tanstack/react-router'
import { textsOf } from '../../../core/i18n.ts'
import { readingAhead } from '../../../core/read-ahead.ts'
import { EventPage } from '../../../features/events/event-page.tsx'

export const Route = createFileRoute('/_signed-in/_admin/audit/events/$position')({
  beforeLoad: readingAhead(async () => {
    const { readEventAhead } = await import('../../../features/events/queries.ts')
    return { readAhead: readEventAhead }
  }),
  loader: textsOf('events'),
  component: EventRoute,
})

function EventRoute() {
  const { position } = Route.useParams()
  return <EventPage position={position} />
}
