import { createFileRoute, redirect } from '@tanstack/react-router'

/** The seeds' address of a new channel's form: the list with that form open. */
export const Route = createFileRoute('/_signed-in/_admin/channel/add')({
  beforeLoad: () => {
    throw redirect({ to: '/channel', search: { add: true }, replace: true })
  },
})
