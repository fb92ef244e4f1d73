import { createFileRoute } from '@tanstack/react-router'
import { textsOf } from '../../../core/i18n.ts'
import { readingAhead } from '../../../core/read-ahead.ts'
import { parseUserSearch } from '../../../features/users/filters.ts'
import { Users } from '../../../features/users/users.tsx'

export const Route = createFileRoute('/_signed-in/_admin/user/')({
  validateSearch: parseUserSearch,
  beforeLoad: readingAhead(() => import('../../../features/users/queries.ts')),
  loader: textsOf('users'),
  component: UserRoute,
})

function UserRoute() {
  const navigate = Route.useNavigate()
  return <Users search={Route.useSearch()} onSearch={(search) => void navigate({ search })} />
}
