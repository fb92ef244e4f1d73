import { createFileRoute } from '@tanstack/react-router'
import { textsOf } from '../../../core/i18n.ts'
import { readingAhead } from '../../../core/read-ahead.ts'
import { parsePricesSearch } from '../../../features/prices/filters.ts'
import { Prices } from '../../../features/prices/prices.tsx'

export const Route = createFileRoute('/_signed-in/_admin/audit/prices')({
  validateSearch: parsePricesSearch,
  beforeLoad: readingAhead(() => import('../../../features/prices/queries.ts')),
  loader: textsOf('prices'),
  component: PricesRoute,
})

function PricesRoute() {
  const navigate = Route.useNavigate()
  return <Prices search={Route.useSearch()} onSearch={(search) => void navigate({ search })} />
}
