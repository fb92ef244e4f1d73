import { createFileRoute } from '@tanstack/react-router'
import { textsOf } from '../core/i18n.ts'
import { rememberReferral } from '../core/referral.ts'
import { Register } from '../features/sign-in/register.tsx'
import { readSearch, text } from '../parts/search-params.ts'

export const Route = createFileRoute('/register')({
  validateSearch: (raw) => readSearch(raw, { aff: text }),
  beforeLoad: ({ search }) => rememberReferral(search.aff),
  loader: textsOf('parts', 'auth'),
  component: Register,
})
