import { accessTokens } from '@tollgate/command-api/identity/access-tokens.ts'
import {
  type ChannelFailureReport,
  failureWatch,
} from '@tollgate/command-api/channels/automatic-status.ts'
import { channelRoutes } from '@tollgate/command-api/channels/routes.ts'
import { testOfAll } from '@tollgate/command-api/channels/test-channel.ts'
import { contentRoutes } from '@tollgate/command-api/content/routes.ts'
import {
  type Authenticate,
  authenticator,
  rememberWrite,
} from '@tollgate/command-api/identity/authenticate.ts'
import { argon2Passwords } from '@tollgate/command-api/identity/passwords.ts'
import { turnstileCheck } from '@tollgate/command-api/identity/human-check.ts'
import {
  CRITICAL_LIMIT,
  type RateLimiter,
  slidingWindowLimiter,
} from '@tollgate/command-api/identity/rate-limiter.ts'
import { sessionRoutes } from '@tollgate/command-api/identity/session-routes.ts'
import { sessionRows } from '@tollgate/command-api/identity/sessions.ts'
import { userNames } from '@tollgate/command-api/identity/user-names.ts'
import { type UserStore, userStore } from '@tollgate/command-api/identity/users.ts'
import { AccountLedger } from '@tollgate/command-api/ledger/account-ledger.ts'
import { EventFailureLog } from '@tollgate/command-api/ledger/failure-log.ts'
import { HoldDesk } from '@tollgate/command-api/ledger/hold-desk.ts'
import { NearbyRelays } from '@tollgate/command-api/ledger/nearby-relays.ts'
import { ownsEverything } from '@tollgate/command-api/ledger/ownership.ts'
import { logRoutes } from '@tollgate/command-api/logs/routes.ts'
import { followOptions, type LiveOptions } from '@tollgate/command-api/options/live-options.ts'
import { optionRoutes } from '@tollgate/command-api/options/routes.ts'
import {
  type ChannelSecrets,
  channelSecrets,
} from '@tollgate/command-api/secrets/channel-secrets.ts'
import { optionSecrets } from '@tollgate/command-api/secrets/option-secrets.ts'
import { type TokenSecrets, tokenSecrets } from '@tollgate/command-api/secrets/token-secrets.ts'
import { openVault } from '@tollgate/command-api/secrets/vault.ts'
import { setupRoutes } from '@tollgate/command-api/setup/routes.ts'
import { setupState } from '@tollgate/command-api/setup/setup-state.ts'
import { startSweeper } from '@tollgate/command-api/sweeper.ts'
import { userRoutes } from '@tollgate/command-api/users/routes.ts'
import { expireTokens } from '@tollgate/command-api/tokens/expire-tokens.ts'
import { tokenRoutes } from '@tollgate/command-api/tokens/routes.ts'
import type { Position } from '@tollgate/domain/event.ts'
import type { ApiRoute, Caller } from '@tollgate/domain/ports/api-route.ts'
import { balancesOf, usersWithAtLeast } from '@tollgate/projections/balances/queries.ts'
import {
  channelSummaries,
  countAbilities,
  usedQuotaOf,
} from '@tollgate/projections/channels/summary.ts'
import { countLogsBefore } from '@tollgate/projections/usage-log/queries.ts'
import type { Names } from '@tollgate/projections/http/names.ts'
import { dueTokens } from '@tollgate/projections/tokens/queries.ts'
import { makeChannelProbe } from '@tollgate/relay/probe/channel-probe.ts'
import { RELAY_LIMITS } from '@tollgate/relay/pipeline/deps.ts'
import type { Dispatchers } from '@tollgate/relay/upstream/dispatchers.ts'
import type { RelayId } from '@tollgate/domain/ids.ts'
import type { Config } from './config.ts'
import type { Engines } from './engines.ts'
import { masterKey } from './master-key.ts'
import { namesOf } from './names.ts'
import { repeating } from './repeating.ts'
import { VERSION } from './version.ts'
import type { World } from './world.ts'

/** Commands, identity and the ledger, composed. */
export interface WriteSide {
  readonly routes: readonly ApiRoute[]
  readonly ledger: AccountLedger
  readonly holds: HoldDesk
  /** Relays that the owner may call idle quota back from; whoever starts one adds it. */
  readonly relays: NearbyRelays
  readonly options: LiveOptions
  readonly secrets: { readonly tokens: TokenSecrets; readonly channels: ChannelSecrets }
  readonly names: Names
  readonly users: UserStore
  readonly authenticate: Authenticate
  readonly criticalLimit: RateLimiter
  /** Where a relay notes failed requests. */
  failureLog(relay: RelayId): EventFailureLog
  /** Told by relays what upstream said of a channel; disables it where the rules say so. */
  reportChannelFailure(report: ChannelFailureReport): void
  rememberWrite(caller: Caller, position: Position): Promise<void>
  stop(): Promise<void>
}

/** How often holds that no relay claims any more and tokens whose time is up are looked for. */
const SWEEP_MS = 5_000

export async function composeWriteSide(
  config: Config,
  world: World,
  engines: Engines,
  dispatchers: Dispatchers,
): Promise<WriteSide> {
  const { clock, randomness, entropy, logger } = world
  const { pool, store } = engines
  const ending = new AbortController()
  const vault = openVault(await masterKey(config.masterKey, config.dataDir), entropy)
  const tokens = tokenSecrets(pool, vault, clock)
  const channels = channelSecrets(pool, vault, clock)
  const secrets = optionSecrets(pool, vault)
  const users = userStore(pool)
  const sessions = sessionRows({ pool, clock, randomness, entropy })
  const access = accessTokens(pool, vault, entropy)
  const passwords = argon2Passwords(entropy)
  const setup = setupState(pool, clock, VERSION)
  const options = await followOptions({ store, secrets, signal: ending.signal })
  const ledger = new AccountLedger({ store, clock, randomness })
  const relays = new NearbyRelays(clock)
  const holds = new HoldDesk({ ledger, clock, relays, ownership: ownsEverything(clock) })
  const due = () => dueTokens(pool, clock.now())
  const sweeping = repeating(
    SWEEP_MS,
    () => Promise.all([holds.expireSilentHolds(), expireTokens({ ledger, dueTokens: due })]),
    (err) => logger.warn({ err }, 'holds and tokens were not swept'),
  )
  const writer = { store, clock, randomness }
  const startedAt = clock.now()
  const channelWriter = { ...writer, secrets: channels }
  const channelDeps = {
    ...channelWriter,
    options,
    probe: makeChannelProbe({
      dispatchers,
      clock,
      limits: RELAY_LIMITS,
      keywords: () => options.current().lines('AutomaticDisableKeywords'),
      yuanPerDollar: () => options.current().number('Price'),
    }),
    channelList: {
      all: () => channelSummaries(pool),
      usedQuota: (id: number) => usedQuotaOf(pool, id),
      countAbilities: () => countAbilities(pool),
    },
    bulkPauseMs: 0,
    log: logger,
  }
  const sweeper = startSweeper({
    ...writer,
    users,
    sessions,
    tokens,
    channels,
    ledger,
    log: logger,
  })
  const considerFailure = failureWatch({ ...channelWriter, options })
  const tests = testOfAll(channelDeps, ending.signal)
  return {
    routes: [
      ...contentRoutes({
        options,
        version: VERSION,
        startedAt,
        isSetUp: () => setup.isDone(),
        pingDatabase: () => pool.query('select 1'),
        clock,
        isDemo: world.isDemo === true,
      }),
      ...setupRoutes({ ...writer, secrets, users, passwords, ledger, setup, options }),
      ...sessionRoutes({
        users,
        sessions,
        passwords,
        options,
        humanCheck: turnstileCheck({ options, fetch }),
      }),
      ...userRoutes({
        ...writer,
        users,
        sessions,
        passwords,
        accessTokens: access,
        vault,
        entropy,
        options,
        ledger,
        figures: (ids) => balancesOf(pool, ids),
        recallIdleQuota: (account) => holds.recallIdleQuota(account),
        usersWithAtLeast: (least) => usersWithAtLeast(pool, least),
      }),
      ...tokenRoutes({ ledger, secrets: tokens, entropy, clock }),
      ...channelRoutes(channelDeps, tests),
      ...optionRoutes({ ...writer, secrets, options }),
      ...logRoutes({ ...writer, countLogRowsBefore: (before) => countLogsBefore(pool, before) }),
    ],
    ledger,
    holds,
    relays,
    options,
    secrets: { tokens, channels },
    names: namesOf({ users: userNames(pool), tokens, channels }),
    users,
    failureLog: (relay) =>
      new EventFailureLog({
        store,
        relay,
        clock,
        randomness,
        onDropped: (count, err) => logger.warn({ err, count }, 'failed requests were not logged'),
      }),
    reportChannelFailure(report) {
      considerFailure(report).catch((err: unknown) =>
        logger.warn({ err, channel: report.channel }, 'a channel could not be disabled'),
      )
    },
    authenticate: authenticator({ sessions, accessTokens: access }),
    criticalLimit: slidingWindowLimiter(CRITICAL_LIMIT, clock),
    rememberWrite: (caller, position) =>
      rememberWrite({ sessions, accessTokens: access }, caller, position),
    async stop() {
      await sweeping.stop()
      ledger.stop()
      ending.abort()
      await Promise.all([tests.idle(), sweeper.stop()])
      await options.ended
    },
  }
}
