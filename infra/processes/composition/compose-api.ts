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
import type { ComposedLedger } from './compose-ledger.ts'
import { composeNotices } from './compose-notices.ts'
import { composeWorkflows } from './compose-workflows.ts'
import { composeReads } from './compose-reads.ts'
import { openReplayQueue } from '../replays/replay-queue.ts'
import { VERSION } from '../version.ts'
import type { Upstreams } from './upstreams.ts'
import type { Runtime } from '../runtime.ts'
import { composeWrites } from './compose-writes.ts'

/** The console's calls and the work that goes on by itself beside them, composed. */
export interface ComposedApi {
  readonly routes: readonly ApiRoute[]
  readonly api: Omit<ConsoleApi, 'uploads'>
  /** Processes across streams that do not come to their end. */
  stuckProcesses(): number
  /** A problem in the ledger that an operator should look at; null when there is nothing. */
  ledgerWarning(): string | null
  readonly stopSteps: readonly StopStep[]
}

export interface ApiParts {
  readonly engines: Engines
  readonly identity: Identity
  readonly ledger: ComposedLedger
  readonly projections: ProjectionRunner
  readonly shareWork: ShareWork
  readonly upstreams: Upstreams
}

/** Bounds of one picture of a drawing: the largest come near 30 MB, and who loads one may have a slow connection. */
const PICTURE_BOUNDS = { answerBytesMax: 32 * 1024 * 1024, timeoutMs: 60_000 } as const

export async function composeApi(
  config: Config,
  runtime: Runtime,
  { engines, identity, ledger, projections, shareWork, upstreams }: ApiParts,
): Promise<ComposedApi> {
  const { options } = identity
  const mayReach = (ip: string): boolean =>
    isPublicAddress(ip) || options.current().flag('fetch_setting.allow_private_addresses')
  const outgoing = openOutgoingFetch({ mayReach })
  const pictures = openOutgoingFetch({ mayReach, ...PICTURE_BOUNDS })
  const writing = composeWrites({
    config,
    runtime,
    engines,
    identity,
    composedLedger: ledger,
    fetch: outgoing.fetch,
    mayReach,
  })
  const notices = composeNotices(config, runtime, {
    engines,
    identity,
    ledger,
    fetch: outgoing.fetch,
    shareWork,
  })
  const { notifier } = notices
  const channels = composeChannels(config, runtime, {
    engines,
    identity,
    upstreams,
    notifier,
    shareWork,
  })
  const processes = await composeWorkflows(runtime, {
    engines,
    identity,
    ledger,
    shareWork,
    notifier,
  })
  const reading = composeReads(runtime, {
    engines,
    identity,
    runner: projections,
    fetch: pictures.fetch,
  })
  const audit = composeAudit(config, runtime, engines)
  const { pool, db, store, databaseUrl } = engines
  const { eventStoreUrl } = config
  const replays = openReplayQueue({ databaseUrl, eventStoreUrl }, pool, runtime)
  const replaying = replayRoutes({
    pool,
    reads: db,
    store,
    names: identity.names,
    now: () => runtime.clock.now(),
    uuid: () => runtime.randomness.uuid(),
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
      isReadModelOutdated: () =>
        projections.status().projectors.some(({ state }) => state === 'outdated'),
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
