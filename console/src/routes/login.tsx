import { createFileRoute } from '@tanstack/react-router'
import { rememberReferral } from '../core/referral.ts'
import { Login } from '../features/sign-in/login.tsx'
import { parseLoginSearch } from '../features/sign-in/login-search.ts'

export const Route = createFileRoute('/login')({
  validateSearch: parseLoginSearch,
  beforeLoad: ({ search }) => rememberReferral(search.aff),
  component: LoginRoute,
})

function LoginRoute() {
  return <Login search={Route.useSearch()} />
}
