import type { ApiRoute } from '@tollgate/command-api/http-contract/api-route.ts'
import type { ReplayRouteDeps } from './deps.ts'
import { oneReplayRoutes } from './one-replay-routes.ts'
import { createReplayReader } from './replay-reader.ts'
import { replayRequestRoutes } from './request-routes.ts'
import { replayResultRoutes } from './result-routes.ts'

/**
 * Replays over HTTP (audit.md 9). Administrators replay and see all; a user their own usage, by group, token and model.
 */
export function replayRoutes(deps: ReplayRouteDeps): readonly ApiRoute[] {
  const reader = createReplayReader(deps)
  return [
    ...replayRequestRoutes(deps, reader),
    ...oneReplayRoutes(deps, reader),
    ...replayResultRoutes(deps, reader),
  ]
}
