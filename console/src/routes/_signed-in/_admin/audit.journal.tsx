import { createFileRoute } from '@tanstack/react-router'
import { textsOf } from '../../../core/i18n.ts'
import { readingAhead } from '../../../core/read-ahead.ts'
import { parseJournalSearch } from '../../../features/journal/filters.ts'
import { Journal } from '../../../features/journal/journal.tsx'

export const Route = createFileRoute('/_signed-in/_admin/audit/journal')({
  validateSearch: parseJournalSearch,
  beforeLoad: readingAhead(() => import('../../../features/journal/queries.ts')),
  loader: textsOf('audit'),
  component: JournalRoute,
})

function JournalRoute() {
  const navigate = Route.useNavigate()
  return <Journal search={Route.useSearch()} onSearch={(search) => void navigate({ search })} />
}
