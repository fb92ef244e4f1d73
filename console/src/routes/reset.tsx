import { createFileRoute } from '@tanstack/react-router'
import { textsOf } from '../core/i18n.ts'
import { ResetRequest } from '../features/sign-in/reset-request.tsx'

export const Route = createFileRoute('/reset')({
  loader: textsOf('parts', 'auth'),
  component: ResetRequest,
})
