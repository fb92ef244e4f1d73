import { createFileRoute } from '@tanstack/react-router'
import { textsOf } from '../../../core/i18n.ts'
import { readingAhead } from '../../../core/read-ahead.ts'
import { Balances } from '../../../features/balances/balances.tsx'
import { parseBalancesSearch } from '../../../features/balances/filters.ts'

export const Route = createFileRoute('/_signed-in/_admin/audit/balances')({
  validateSearch: parseBalancesSearch,
  beforeLoad: readingAhead(() => import('../../../features/balances/queries.ts')),
  loader: textsOf('audit'),
  component: BalancesRoute,
})

function BalancesRoute() {
  const navigate = Route.useNavigate()
  return <Balances search={Route.useSearch()} onSearch={(search) => void navigate({ search })} />
}
