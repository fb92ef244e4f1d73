import { createFileRoute } from '@tanstack/react-router'
import { textsOf } from '../../../core/i18n.ts'
import { readingAhead } from '../../../core/read-ahead.ts'
import { Events } from '../../../features/events/events.tsx'
import { parseEventSearch } from '../../../features/events/filters.ts'

export const Route = createFileRoute('/_signed-in/_admin/audit/events/')({
  validateSearch: parseEventSearch,
  beforeLoad: readingAhead(() => import('../../../features/events/queries.ts')),
  loader: textsOf('events'),
  component: EventsRoute,
})

function EventsRoute() {
  const navigate = Route.useNavigate()
  return <Events search={Route.useSearch()} onSearch={(search) => void navigate({ search })} />
}
