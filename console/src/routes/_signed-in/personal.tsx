import { createFileRoute } from '@tanstack/react-router'
import { textsOf } from '../../core/i18n.ts'
import { readingAhead } from '../../core/read-ahead.ts'
import { Personal } from '../../features/personal/personal.tsx'

export const Route = createFileRoute('/_signed-in/personal')({
  beforeLoad: readingAhead(() => import('../../features/personal/queries.ts')),
  loader: textsOf('personal'),
  component: Personal,
})
