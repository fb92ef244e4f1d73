import { createFileRoute } from '@tanstack/react-router'
import { textsOf } from '../../core/i18n.ts'
import { readingAhead } from '../../core/read-ahead.ts'
import { Dashboard } from '../../features/dashboard/dashboard.tsx'
import { parseDashboardSearch } from '../../features/dashboard/filters.ts'
import { chosen } from '../../parts/search-params.ts'

export const Route = createFileRoute('/_signed-in/detail')({
  validateSearch: parseDashboardSearch,
  beforeLoad: readingAhead(() => import('../../features/dashboard/queries.ts')),
  loader: textsOf('dashboard'),
  component: DashboardRoute,
})

function DashboardRoute() {
  const navigate = Route.useNavigate()
  return (
    <Dashboard
      search={Route.useSearch()}
      onSearch={(search) => void navigate({ search: chosen(search) })}
    />
  )
}
