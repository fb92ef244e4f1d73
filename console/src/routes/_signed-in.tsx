import { createFileRoute, Outlet, redirect } from '@tanstack/react-router'
import { textsOf } from '../core/i18n.ts'
import { FirstStepsBarPlace } from '../features/first-steps/first-steps-place.tsx'
import { sessionUser } from '../core/session.ts'

/** Screens that need a signed-in user; others are led to the login page and back afterwards. */
export const Route = createFileRoute('/_signed-in')({
  beforeLoad: ({ location }) => {
    if (!sessionUser()) throw redirect({ to: '/login', search: { next: location.href } })
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
