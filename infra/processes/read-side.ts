import type { ApiRoute } from '@tollgate/domain/ports/api-route.ts'
import type { ProjectionRunner } from '@tollgate/projections/runner/runner.ts'
import { freshnessRoutes } from '@tollgate/projections/runner/routes.ts'
import { readRoutes } from '@tollgate/projections/routes.ts'
import { channelTypes } from '@tollgate/relay/channel-types.ts'
import modelOwners from '@tollgate/relay/data/model-owners.json' with { type: 'json' }
import type { Config } from './config.ts'
import type { Engines } from './engines.ts'
import type { Identity } from './identity.ts'
import { threadedProjections } from './threaded-projections.ts'
import type { World } from './world.ts'

/** Read models, their queries and routes, composed. */
export interface ReadSide {
  readonly runner: ProjectionRunner
  readonly routes: readonly ApiRoute[]
  /** Null while the projectors run, else what keeps them from it. */
  whyNotReady(): string | null
  stop(): Promise<void>
}

export async function composeReadSide(
  { eventStoreUrl }: Pick<Config, 'eventStoreUrl'>,
  world: World,
  engines: Engines,
  identity: Identity,
): Promise<ReadSide> {
  const { clock, logger } = world
  const { pool, store, databaseUrl } = engines
  const runner = threadedProjections({
    config: { databaseUrl, eventStoreUrl },
    pool,
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
    whyNotReady: () => runner.whyNotReady(),
    stop: () => runner.stop(),
  }
}
