import type { ApiRoute } from '@tollgate/domain/ports/api-route.ts'
import { readModels } from '@tollgate/projections/read-models.ts'
import {
  createProjectionRunner,
  type ProjectionRunner,
} from '@tollgate/projections/runner/runner.ts'
import { usageLogRoutes } from '@tollgate/projections/usage-log/routes.ts'
import type { Engines } from './engines.ts'
import type { World } from './world.ts'
import type { WriteSide } from './write-side.ts'

/** Read models, their queries and routes, composed. */
export interface ReadSide {
  readonly runner: ProjectionRunner
  readonly routes: readonly ApiRoute[]
  stop(): Promise<void>
}

export async function composeReadSide(
  world: World,
  engines: Engines,
  writing: WriteSide,
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
  const { names, secrets } = writing
  return {
    runner,
    routes: [
      ...usageLogRoutes({
        pool,
        names,
        clock,
        findTokenByKey: (key) => secrets.tokens.findByKey(key),
      }),
    ],
    stop: () => runner.stop(),
  }
}
