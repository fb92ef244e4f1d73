import type { ApiRoute } from '@tollgate/command-api/http-contract/api-route.ts'
import type { ShareWork } from '@tollgate/domain/ports/leases.ts'
import { replayRoutes } from '@tollgate/projections/replays/routes.ts'
import type { ProjectionRunner } from '@tollgate/projections/runner/runner.ts'
import { RELAY_OPERATIONS } from '@tollgate/relay/reference.ts'
import { openApi } from '../../http/openapi/route.ts'
import type { ConsoleApi } from '../../http/server.ts'
import { openOutgoingFetch } from '../../http/outgoing-fetch.ts'
import { isPublicAddress } from '../../http/public-address.ts'
import { composeAudit } from './compose-audit.ts'
import { OWN_WRITES_MS } from '../bounds.ts'
import { composeChannels } from './compose-channels.ts'
import type { Config } from '../config.ts'
import type { Engines } from '../engines/engines.ts'
import type { Identity } from './compose-identity.ts'
import type { StopStep } from '../in-order.ts'
import type { LedgerSide } from './compose-ledger.ts'
import { composeNotices } from './compose-notices.ts'
import { composeProcesses } from './compose-workflows.ts'
import { composeReadSide } from './compose-reads.ts'
import { openReplayQueue } from '../replays/replay-queue.ts'
import { VERSION } from '../version.ts'
import type { Upstreams } from './upstreams.ts'
import type { World } from '../runtime.ts'
import { composeWriteSide } from './compose-writes.ts'

/** What stands behind the console's calls and goes on by itself beside them, composed. */
export interface ApiSide {
  readonly routes: readonly ApiRoute[]
  readonly api: Omit<ConsoleApi, 'uploads'>
  /** Processes across streams that do not come to their end. */
  stuckProcesses(): number
  /** What an operator should look at in the ledger; null when there is nothing. */
  ledgerWarning(): string | null
  readonly stopSteps: readonly StopStep[]
}

export interface ApiParts {
  readonly engines: Engines
  readonly identity: Identity
  readonly ledger: LedgerSide
  readonly projections: ProjectionRunner
  readonly shareWork: ShareWork
  readonly upstreams: Upstreams
}

/** Of one picture of a drawing: the largest come near 30 MB, and who loads one may have a slow connection. */
const PICTURE_BOUNDS = { answerBytesMax: 32 * 1024 * 1024, timeoutMs: 60_000 } as const

export async function composeApi(
  config: Config,
  world: World,
  { engines, identity, ledger, projections, shareWork, upstreams }: ApiParts,
): Promise<ApiSide> {
  const { options } = identity
  const mayReach = (ip: string): boolean =>
    isPublicAddress(ip) || options.current().flag('fetch_setting.allow_private_addresses')
  const outgoing = openOutgoingFetch({ mayReach })
  const pictures = openOutgoingFetch({ mayReach, ...PICTURE_BOUNDS })
  const reaching = { fetch: outgoing.fetch, mayReach }
  const writing = composeWriteSide(config, world, engines, identity, ledger, reaching)
  const notices = composeNotices(
    config,
    world,
    engines,
    identity,
    ledger,
    outgoing.fetch,
    shareWork,
  )
  const { notifier } = notices
  const channels = composeChannels(config, world, {
    engines,
    identity,
    upstreams,
    notifier,
    shareWork,
  })
  const processes = await composeProcesses(world, engines, identity, ledger, shareWork, notifier)
  const reading = composeReadSide(world, engines, identity, projections, pictures.fetch)
  const audit = composeAudit(config, world, engines)
  const { pool, store, databaseUrl } = engines
  const { eventStoreUrl } = config
  const replays = openReplayQueue({ databaseUrl, eventStoreUrl }, pool, world)
  const replaying = replayRoutes({
    pool,
    store,
    names: identity.names,
    now: () => world.clock.now(),
    uuid: () => world.randomness.uuid(),
    onQueued: () => replays.wake(),
  })
  const served = [
    ...writing.routes,
    ...channels.routes,
    ...processes.routes,
    ...notices.routes,
    ...audit.routes,
    ...reading,
    ...replaying,
  ]
  const reference = openApi(served, RELAY_OPERATIONS, VERSION)
  const routes = [...served, reference.route]
  return {
    routes,
    api: {
      routes,
      document: reference.document,
      authenticate: identity.authenticate,
      rememberWrite: (caller, position) => identity.rememberWrite(caller, position),
      waitForReadModels: async (names, position) => {
        await projections.waitFor(names, position, OWN_WRITES_MS)
      },
      criticalLimit: writing.criticalLimit,
      postedRequests: identity.postedRequests,
      foreignScripts: () => [
        ...(options.current().flag('TurnstileCheckEnabled') ? (['turnstile'] as const) : []),
        ...(options.current().flag('TelegramOAuthEnabled') ? (['telegram'] as const) : []),
      ],
      paymentAddress: () => options.current().text('PayAddress'),
      serverAddress: () => options.current().text('ServerAddress'),
      isDemoSite: () => options.current().flag('DemoSiteEnabled'),
    },
    stuckProcesses: () => processes.manager.stuckCount(),
    ledgerWarning: () => audit.warning(),
    stopSteps: [
      ['audit', () => audit.stop()],
      ['replays', () => replays.stop()],
      ['commands', () => writing.stop()],
      ['channels', () => channels.stop()],
      ['processes', () => processes.stop()],
      ['notices', () => notices.stop()],
      ['outgoing connections', () => outgoing.close()],
      ['pictures', () => pictures.close()],
    ],
  }
}
