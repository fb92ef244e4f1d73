import { createRouter, parseSearchWith, stringifySearchWith } from '@tanstack/react-router'
import { routeTree } from '../routeTree.gen.ts'
import { parseAddressValue } from './address-values.ts'
import { queryClient } from './query-client.ts'
import { ScreenFailure } from './screen-failure.tsx'

/** The console's routes with the cache that their loaders fill. Links start loading when pointed at. */
export const router = createRouter({
  routeTree,
  context: { queryClient },
  parseSearch: parseSearchWith(parseAddressValue),
  stringifySearch: stringifySearchWith(JSON.stringify, parseAddressValue),
  defaultErrorComponent: ScreenFailure,
  defaultPreload: 'intent',
  defaultPreloadStaleTime: 0,
  scrollRestoration: true,
})

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}
