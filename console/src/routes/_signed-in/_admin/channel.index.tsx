import { createFileRoute } from '@tanstack/react-router'
import { textsOf } from '../../../core/i18n.ts'
import { readingAhead } from '../../../core/read-ahead.ts'
import { Channels } from '../../../features/channels/channels.tsx'
import { parseChannelSearch } from '../../../features/channels/filters.ts'

export const Route = createFileRoute('/_signed-in/_admin/channel/')({
  validateSearch: parseChannelSearch,
  beforeLoad: readingAhead(() => import('../../../features/channels/queries.ts')),
  loader: textsOf('channels'),
  component: ChannelRoute,
})

function ChannelRoute() {
  const navigate = Route.useNavigate()
  return <Channels search={Route.useSearch()} onSearch={(search) => void navigate({ search })} />
}
