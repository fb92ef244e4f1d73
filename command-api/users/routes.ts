import type { ApiRoute } from '../http-contract/api-route.ts'
import { userAdminRoutes } from './admin/routes.ts'
import { settingRoute } from './setting-route.ts'
import { selfRoutes, type UserRouteDeps } from './self-routes.ts'

/** One's own account and the administration of others. */
export const userRoutes = (deps: UserRouteDeps): readonly ApiRoute[] => [
  ...selfRoutes(deps),
  settingRoute(deps),
  ...userAdminRoutes(deps),
]
