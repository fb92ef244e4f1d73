import type { QueryClient } from '@tanstack/react-query'
import { createRootRouteWithContext, Outlet } from '@tanstack/react-router'
import { Frame } from '../shell/frame.tsx'
import { SignInAgainPlace } from '../features/sign-in/sign-in-again-place.tsx'
import { NotFound } from '../features/not-found/not-found.tsx'
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
  notFoundComponent: NotFound,
  errorComponent: ({ error, reset }) => <ErrorState error={error} onRetry={reset} />,
})
