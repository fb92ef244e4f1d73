import { createFileRoute, redirect } from '@tanstack/react-router'

/** The seeds' address of a channel's form: the list with that form open. */
export const Route = createFileRoute('/_signed-in/_admin/channel/edit/$id')({
  beforeLoad: ({ params }) => {
    const edit = Number(params.id)
    const search = Number.isSafeInteger(edit) && edit > 0 ? { edit } : {}
    throw redirect({ to: '/channel', search, replace: true })
  },
})
