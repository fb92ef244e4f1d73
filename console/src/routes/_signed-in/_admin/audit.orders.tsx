import { createFileRoute } from '@tanstack/react-router'
import { textsOf } from '../../../core/i18n.ts'
import { readingAhead } from '../../../core/read-ahead.ts'
import { parseOrderSearch } from '../../../features/orders/filters.ts'
import { Orders } from '../../../features/orders/orders.tsx'

export const Route = createFileRoute('/_signed-in/_admin/audit/orders')({
  validateSearch: parseOrderSearch,
  beforeLoad: readingAhead(() => import('../../../features/orders/queries.ts')),
  loader: textsOf('orders'),
  component: OrdersRoute,
})

function OrdersRoute() {
  const navigate = Route.useNavigate()
  return <Orders search={Route.useSearch()} onSearch={(search) => void navigate({ search })} />
}
