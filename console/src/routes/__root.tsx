import type { QueryClient } from '@tanstack/react-query'
import { createRootRouteWithContext, lazyRouteComponent, Outlet } from '@tanstack/react-router'
import { Frame } from '../shell/frame.tsx'
import { SignInAgainPlace } from '../features/sign-in/sign-in-again-place.tsx'
import { ErrorState } from '../parts/states.tsx'

/** The frame around every screen, and what is shown when a screen does not exist or broke. */
export const Route = createRootRouteWithContext<{ queryClient: QueryClient }>()({
  component: () => (
    <>
      <Frame>
        <Outlet />
      </Frame>
      <SignInAgainPlace />
    </>
  ),
  notFoundComponent: lazyRouteComponent(
    () => import('../features/not-found/not-found.tsx'),
    'NotFound',
  ),
  errorComponent: ({ error, reset }) => <ErrorState error={error} onRetry={reset} />,
})
