import { createFileRoute } from '@tanstack/react-router'
import { textsOf } from '../../../core/i18n.ts'
import { EventPage } from '../../../features/events/event-page.tsx'

export const Route = createFileRoute('/_signed-in/_admin/audit/events/$position')({
  loader: textsOf('events'),
  component: EventRoute,
})

function EventRoute() {
  const { position } = Route.useParams()
  return <EventPage position={position} />
}
