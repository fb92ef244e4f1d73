import { createFileRoute } from '@tanstack/react-router'
import { textsOf } from '../../../core/i18n.ts'
import { readingAhead } from '../../../core/read-ahead.ts'
import { parseRedemptionSearch } from '../../../features/redemptions/filters.ts'
import { Redemptions } from '../../../features/redemptions/redemptions.tsx'

export const Route = createFileRoute('/_signed-in/_admin/redemption')({
  validateSearch: parseRedemptionSearch,
  beforeLoad: readingAhead(() => import('../../../features/redemptions/queries.ts')),
  loader: textsOf('redemptions'),
  component: RedemptionRoute,
})

function RedemptionRoute() {
  const navigate = Route.useNavigate()
  return <Redemptions search={Route.useSearch()} onSearch={(search) => void navigate({ search })} />
}
