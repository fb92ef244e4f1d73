import { createFileRoute, Outlet } from '@tanstack/react-router'
import { isAdmin, useIsAdmin } from '../../core/session.ts'
import { Forbidden } from '../../parts/states.tsx'

/** Screens for administrators; others see whom to ask. */
export const Route = createFileRoute('/_signed-in/_admin')({
  beforeLoad: () => ({ isBarred: !isAdmin() }),
  component: AdminOnly,
})

function AdminOnly() {
  return useIsAdmin() ? <Outlet /> : <Forbidden />
}
