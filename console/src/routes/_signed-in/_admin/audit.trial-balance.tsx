import { createFileRoute } from '@tanstack/react-router'
import { textsOf } from '../../../core/i18n.ts'
import { readingAhead } from '../../../core/read-ahead.ts'
import { parseTrialBalanceSearch } from '../../../features/trial-balance/search.ts'
import { TrialBalance } from '../../../features/trial-balance/trial-balance.tsx'

export const Route = createFileRoute('/_signed-in/_admin/audit/trial-balance')({
  validateSearch: parseTrialBalanceSearch,
  beforeLoad: readingAhead(() => import('../../../features/trial-balance/queries.ts')),
  loader: textsOf('audit'),
  component: TrialBalanceRoute,
})

function TrialBalanceRoute() {
  const navigate = Route.useNavigate()
  return (
    <TrialBalance search={Route.useSearch()} onSearch={(search) => void navigate({ search })} />
  )
}
