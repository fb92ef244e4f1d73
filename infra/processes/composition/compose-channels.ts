import type { ChannelCareDeps, ChannelRouteDeps } from '@tollgate/command-api/channels/deps.ts'
import { readAllBalances } from '@tollgate/command-api/channels/read-balance.ts'
import { recoverChannels } from '@tollgate/command-api/channels/recover-channels.ts'
import { tellAllTested } from '@tollgate/command-api/channels/root-notices.ts'
import { channelRoutes } from '@tollgate/command-api/channels/routes.ts'
import { type TestOfAll, testOfAll } from '@tollgate/command-api/channels/test-of-all.ts'
import { aggregateMemory } from '@tollgate/command-api/aggregates/aggregate.ts'
import type { CommandCause } from '@tollgate/command-api/aggregates/cause.ts'
import type { Notifier } from '@tollgate/command-api/notifications/notifier.ts'
import type { ApiRoute } from '@tollgate/command-api/http-contract/api-route.ts'
import type { ShareWork } from '@tollgate/domain/ports/leases.ts'
import { channelTelemetry, removeOldTelemetry } from '@tollgate/projections/channels/telemetry.ts'
import {
  channelsDueForTest,
  channelSummaries,
  usedQuotaOf,
} from '@tollgate/projections/channels/summary.ts'
import { channelTypes } from '@tollgate/relay/channel-types.ts'
import { RELAY_LIMITS } from '@tollgate/relay/pipeline/deps.ts'
import { makeChannelProbe } from '@tollgate/relay/probe/channel-probe.ts'
import { claimWorkOver } from '../../leases/claim-work.ts'
import type { Config } from '../config.ts'
import type { Engines } from '../engines/engines.ts'
import type { Identity } from './compose-identity.ts'
import { scheduled, type Scheduled } from '../timers/scheduled.ts'
import type { Upstreams } from './upstreams.ts'
import type { Runtime } from '../runtime.ts'

/** Upstream channels, composed: their calls, and what looks after them by itself. */
export interface ComposedChannels {
  readonly routes: readonly ApiRoute[]
  stop(): Promise<void>
}

export interface ChannelsParts {
  readonly engines: Pick<Engines, 'pool' | 'db' | 'store' | 'leases'>
  readonly identity: Identity
  readonly upstreams: Upstreams
  readonly notifier: Notifier
  readonly shareWork: ShareWork
}

/** Channels whose streams are remembered; more than anybody has. */
const REMEMBERED_MAX = 10_000
/** How often channels are looked for whose pause before the next test is over; the shortest pause is a minute. */
const RECOVERY_EVERY_MS = 15_000
/** How often tests and balances that are too old are removed. */
const TELEMETRY_EVERY_MS = 3_600_000

export function composeChannels(
  config: Pick<Config, 'channelCare'>,
  runtime: Runtime,
  parts: ChannelsParts,
): ComposedChannels {
  const ending = new AbortController()
  const deps = channelDeps(config, runtime, parts, ending.signal)
  const tests = testOfAll(deps)
  const care = startCare(config, runtime, parts, { deps, tests })
  return {
    routes: channelRoutes(deps, tests),
    async stop() {
      ending.abort()
      await Promise.all([...care.map((one) => one.stop()), tests.idle()])
    },
  }
}

function channelDeps(
  { channelCare }: Pick<Config, 'channelCare'>,
  { clock, randomness, logger }: Runtime,
  { engines, identity, upstreams, notifier }: ChannelsParts,
  ending: AbortSignal,
): ChannelRouteDeps {
  const { pool, db, store, leases } = engines
  const { secrets, options, users } = identity
  const telling = { notifier, users, channels: secrets.channels }
  return {
    store,
    clock,
    randomness,
    memory: aggregateMemory(REMEMBERED_MAX),
    secrets: secrets.channels,
    options,
    probe: makeChannelProbe({
      dispatchers: upstreams.dispatchers,
      publicDispatchers: upstreams.publicDispatchers,
      answers: upstreams.answers,
      clock,
      limits: RELAY_LIMITS,
      keywords: () => options.current().lines('AutomaticDisableKeywords'),
      yuanPerDollar: () => options.current().number('Price'),
    }),
    telemetry: channelTelemetry(pool),
    channelList: {
      all: () => channelSummaries(db),
      dueForTest: (now) => channelsDueForTest(db, now),
      usedQuota: (id) => usedQuotaOf(db, id),
    },
    bulkPauseMs: channelCare.pauseMs,
    addressProblem: (address, reach) => upstreams.addresses.addressProblem(address, reach),
    defaultBaseUrl: (type) => channelTypes.find(({ id }) => id === type)?.baseUrl ?? '',
    claimWork: claimWorkOver({ leases, clock, randomness }),
    onAllTested: ({ correlationId: id }) => tellAllTested(telling, { id, at: clock.now() }),
    ending,
    log: logger,
  }
}

/** Starts the work on channels that goes on by itself, each kind of it in one process at a time. */
function startCare(
  { channelCare }: Pick<Config, 'channelCare'>,
  runtime: Runtime,
  { engines, shareWork }: Pick<ChannelsParts, 'engines' | 'shareWork'>,
  { deps, tests }: { readonly deps: ChannelCareDeps; readonly tests: TestOfAll },
): readonly Scheduled[] {
  const { clock, randomness, logger } = runtime
  const cause = (): CommandCause => ({
    actor: 'system',
    correlationId: randomness.uuid(),
    causationId: null,
  })
  const every = (
    name: string,
    everyMs: number | null,
    work: (signal: AbortSignal) => Promise<unknown>,
  ): readonly Scheduled[] =>
    everyMs === null ? [] : [scheduled({ name, everyMs, work, shareWork, clock, log: logger })]
  return [
    ...every('channel-tests', channelCare.testEveryMs, (signal) => tests.run(cause(), signal)),
    ...every('channel-balances', channelCare.balanceEveryMs, (signal) =>
      readAllBalances(deps, { reach: 'configured', cause: cause(), signal }),
    ),
    ...every('channel-recovery', RECOVERY_EVERY_MS, (signal) =>
      recoverChannels(deps, cause(), signal),
    ),
    ...every('channel-telemetry', TELEMETRY_EVERY_MS, (signal) =>
      removeOldTelemetry(engines.pool, clock.now(), signal),
    ),
  ]
}
