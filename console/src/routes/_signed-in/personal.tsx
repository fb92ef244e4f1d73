import { createFileRoute } from '@tanstack/react-router'
import { textsOf } from '../../core/i18n.ts'
import { Personal } from '../../features/personal/personal.tsx'

export const Route = createFileRoute('/_signed-in/personal')({
  loader: textsOf('personal'),
  component: Personal,
})
