import { createFileRoute } from '@tanstack/react-router'
import { textsOf } from '../../core/i18n.ts'
import { readingAhead } from '../../core/read-ahead.ts'
import { parseLogSearch } from '../../features/usage-log/filters.ts'
import { UsageLog } from '../../features/usage-log/usage-log.tsx'

export const Route = createFileRoute('/_signed-in/log')({
  validateSearch: parseLogSearch,
  beforeLoad: readingAhead(() => import('../../features/usage-log/queries.ts')),
  loader: textsOf('log'),
  component: LogRoute,
})

function LogRoute() {
  const navigate = Route.useNavigate()
  return <UsageLog search={Route.useSearch()} onSearch={(search) => void navigate({ search })} />
}
