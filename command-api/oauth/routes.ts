import type { ApiRoute } from '../http-contract/api-route.ts'
import { type DirectRouteDeps, directRoutes } from './direct-routes.ts'
import { type RedirectRouteDeps, redirectRoutes } from './redirect-routes.ts'

/** Signing in, signing up and binding through others (console-api 2.3). */
export const oauthRoutes = (deps: RedirectRouteDeps & DirectRouteDeps): readonly ApiRoute[] => [
  ...redirectRoutes(deps),
  ...directRoutes(deps),
]
