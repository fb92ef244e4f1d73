import { createFileRoute } from '@tanstack/react-router'
import { Login } from '../features/login/login.tsx'
import { parseLoginSearch } from '../features/login/login-search.ts'

export const Route = createFileRoute('/login')({
  validateSearch: parseLoginSearch,
  component: LoginRoute,
})

function LoginRoute() {
  return <Login search={Route.useSearch()} />
}
