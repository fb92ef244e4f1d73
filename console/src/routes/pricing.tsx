import { createFileRoute } from '@tanstack/react-router'
import { textsOf } from '../core/i18n.ts'
import { readingAhead } from '../core/read-ahead.ts'
import { parsePricingSearch } from '../features/pricing/filters.ts'
import { PricingScreen } from '../features/pricing/pricing.tsx'
import { chosen } from '../parts/search-params.ts'

export const Route = createFileRoute('/pricing')({
  validateSearch: parsePricingSearch,
  beforeLoad: readingAhead(() => import('../features/pricing/queries.ts')),
  loader: textsOf('parts', 'pricing'),
  component: PricingRoute,
})

function PricingRoute() {
  const navigate = Route.useNavigate()
  return (
    <PricingScreen
      search={Route.useSearch()}
      onSearch={(search) => void navigate({ search: chosen(search) })}
    />
  )
}
