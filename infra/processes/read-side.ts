import type { ApiRoute } from '@tollgate/domain/ports/api-route.ts'
import { readModels } from '@tollgate/projections/read-models.ts'
import {
  createProjectionRunner,
  type ProjectionRunner,
} from '@tollgate/projections/runner/runner.ts'
import { freshnessRoutes } from '@tollgate/projections/runner/routes.ts'
import { readRoutes } from '@tollgate/projections/routes.ts'
import { channelTypes } from '@tollgate/relay/channel-types.ts'
import modelOwners from '@tollgate/relay/data/model-owners.json' with { type: 'json' }
import type { Engines } from './engines.ts'
import type { Identity } from './identity.ts'
import type { World } from './world.ts'

/** Read models, their queries and routes, composed. */
export interface ReadSide {
  readonly runner: ProjectionRunner
  readonly routes: readonly ApiRoute[]
  stop(): Promise<void>
}

export async function composeReadSide(
  world: World,
  engines: Engines,
  identity: Identity,
): Promise<ReadSide> {
  const { clock, logger } = world
  const { pool, projectionPool, store } = engines
  const runner = createProjectionRunner({
    store,
    pool: projectionPool,
    projectors: readModels,
    clock,
    logger,
  })
  await runner.start()
  const { names, secrets, options } = identity
  return {
    runner,
    routes: [
      ...freshnessRoutes({
        status: () => runner.status(),
        headPosition: () => store.headPosition(),
        now: () => clock.now(),
      }),
      ...readRoutes({
        pool,
        clock,
        names,
        secrets: secrets.tokens,
        findTokenByKey: (key) => secrets.tokens.findByKey(key),
        searchChannels: (keyword) => secrets.channels.search(keyword),
        currentOptions: () => options.current(),
        modelCatalogue: Object.entries(modelOwners).map(([id, ownedBy]) => ({ id, ownedBy })),
        modelsByType: Object.fromEntries(
          channelTypes.map(({ id, defaultModels }) => [id, defaultModels]),
        ),
      }),
    ],
    stop: () => runner.stop(),
  }
}
