import { createFileRoute, redirect } from '@tanstack/react-router'

/** The seeds' address of a user's form: the list with that form open. */
export const Route = createFileRoute('/_signed-in/_admin/user/edit/$id')({
  beforeLoad: ({ params }) => {
    const edit = Number(params.id)
    const search = Number.isSafeInteger(edit) && edit > 0 ? { edit } : {}
    throw redirect({ to: '/user', search, replace: true })
  },
})
