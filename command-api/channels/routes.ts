import type { ApiRoute } from '../http-contract/api-route.ts'
import { channelBulkRoutes } from './bulk-routes.ts'
import type { ChannelRouteDeps } from './deps.ts'
import { channelProbeRoutes } from './probe-routes.ts'
import type { TestOfAll } from './test-of-all.ts'
import { channelWriteRoutes } from './write-routes.ts'

/** Everything about channels but reading them, which the read side does. */
export const channelRoutes = (deps: ChannelRouteDeps, tests: TestOfAll): readonly ApiRoute[] => [
  ...channelWriteRoutes(deps),
  ...channelBulkRoutes(deps),
  ...channelProbeRoutes(deps, tests),
]
