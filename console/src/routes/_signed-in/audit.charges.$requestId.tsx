import { createFileRoute } from '@tanstack/react-router'
import { textsOf } from '../../core/i18n.ts'
import { readingAhead } from '../../core/read-ahead.ts'
import { ChargePage } from '../../features/charge/charge-page.tsx'

export const Route = createFileRoute('/_signed-in/audit/charges/$requestId')({
  beforeLoad: readingAhead(() => import('../../parts/charge/charge-query.ts')),
  loader: textsOf('charge', 'log', 'audit', 'prices'),
  component: ChargeRoute,
})

function ChargeRoute() {
  const { requestId } = Route.useParams()
  return <ChargePage requestId={requestId} />
}
