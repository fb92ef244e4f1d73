import { createFileRoute } from '@tanstack/react-router'
import { textsOf } from '../../core/i18n.ts'
import { readingAhead } from '../../core/read-ahead.ts'
import { parseOwnStatementSearch } from '../../features/statement/filters.ts'
import { Statement } from '../../features/statement/statement.tsx'

export const Route = createFileRoute('/_signed-in/statement')({
  validateSearch: parseOwnStatementSearch,
  beforeLoad: readingAhead(() => import('../../features/statement/queries.ts')),
  loader: textsOf('statement'),
  component: StatementRoute,
})

function StatementRoute() {
  const navigate = Route.useNavigate()
  return <Statement search={Route.useSearch()} onSearch={(search) => void navigate({ search })} />
}
