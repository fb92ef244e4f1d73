import { createFileRoute } from '@tanstack/react-router'
import { textsOf } from '../../../core/i18n.ts'
import { parseStatementSearch } from '../../../features/statement/filters.ts'
import { Statement } from '../../../features/statement/statement.tsx'

export const Route = createFileRoute('/_signed-in/_admin/audit/statement')({
  validateSearch: parseStatementSearch,
  loader: textsOf('statement'),
  component: AccountStatementRoute,
})

function AccountStatementRoute() {
  const navigate = Route.useNavigate()
  return <Statement search={Route.useSearch()} onSearch={(search) => void navigate({ search })} />
}
