import { createFileRoute, redirect } from '@tanstack/react-router'

/** The seeds' address of one's own form: one's own settings. */
export const Route = createFileRoute('/_signed-in/user/edit/')({
  beforeLoad: () => {
    throw redirect({ to: '/personal', replace: true })
  },
})
