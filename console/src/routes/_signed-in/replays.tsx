import { createFileRoute } from '@tanstack/react-router'
import { textsOf } from '../../core/i18n.ts'
import { readingAhead } from '../../core/read-ahead.ts'
import { parseReplaySearch } from '../../features/replays/filters.ts'
import { Replays } from '../../features/replays/replays.tsx'

export const Route = createFileRoute('/_signed-in/replays')({
  validateSearch: parseReplaySearch,
  beforeLoad: readingAhead(() => import('../../features/replays/queries.ts')),
  loader: textsOf('replays'),
  component: ReplaysRoute,
})

function ReplaysRoute() {
  const navigate = Route.useNavigate()
  return <Replays search={Route.useSearch()} onSearch={(search) => void navigate({ search })} />
}
