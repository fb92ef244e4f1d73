import { createFileRoute } from '@tanstack/react-router'
import { textsOf } from '../core/i18n.ts'
import { ResetConfirm } from '../features/sign-in/reset-confirm.tsx'
import { readSearch, text } from '../parts/search-params.ts'

/** Reached from an e-mail, so open to visitors (decision 37). */
export const Route = createFileRoute('/user/reset')({
  validateSearch: (raw) => readSearch(raw, { email: text, token: text }),
  loader: textsOf('parts', 'auth'),
  component: ResetRoute,
})

function ResetRoute() {
  const { email = '', token = '' } = Route.useSearch()
  return <ResetConfirm key={token} email={email} token={token} />
}
