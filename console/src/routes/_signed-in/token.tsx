import { createFileRoute } from '@tanstack/react-router'
import { textsOf } from '../../core/i18n.ts'
import { readingAhead } from '../../core/read-ahead.ts'
import { parseTokenSearch } from '../../features/tokens/filters.ts'
import { Tokens } from '../../features/tokens/tokens.tsx'

export const Route = createFileRoute('/_signed-in/token')({
  validateSearch: parseTokenSearch,
  beforeLoad: readingAhead(() => import('../../features/tokens/queries.ts')),
  loader: textsOf('tokens'),
  component: TokenRoute,
})

function TokenRoute() {
  const navigate = Route.useNavigate()
  return <Tokens search={Route.useSearch()} onSearch={(search) => void navigate({ search })} />
}
