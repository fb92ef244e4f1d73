import { createFileRoute, notFound } from '@tanstack/react-router'
import { textsOf } from '../core/i18n.ts'
import { isCallbackProvider } from '../features/sign-in/callback-query.ts'
import { OAuthCallback } from '../features/sign-in/oauth-callback.tsx'

export const Route = createFileRoute('/oauth/$provider')({
  beforeLoad: ({ params }) => {
    if (!isCallbackProvider(params.provider)) throw notFound()
  },
  loader: textsOf('parts'),
  component: CallbackRoute,
})

function CallbackRoute() {
  const { provider } = Route.useParams()
  return isCallbackProvider(provider) ? <OAuthCallback provider={provider} /> : null
}
