import { createFileRoute, Outlet, redirect } from '@tanstack/react-router'
import { textsOf } from '../core/i18n.ts'
import { FirstStepsBarPlace } from '../features/first-steps/first-steps-place.tsx'
import { hasSessionEnded, sessionUser } from '../core/session.ts'

/** Screens that need a signed-in user; others are led to the login page and back afterwards. */
export const Route = createFileRoute('/_signed-in')({
  beforeLoad: ({ location }) => {
    if (sessionUser()) return
    // A session may end while its page is still loading: the login page says so here, too.
    const expired = hasSessionEnded() ? ({ expired: true } as const) : {}
    throw redirect({ to: '/login', search: { ...expired, next: location.href } })
  },
  loader: textsOf('parts'),
  component: Screens,
})

function Screens() {
  return (
    <>
      <FirstStepsBarPlace />
      <Outlet />
    </>
  )
}
