import { channelHistoryRoute } from '@tollgate/command-api/channels/history-route.ts'
import { contentRoutes } from '@tollgate/command-api/content/routes.ts'
import type { OutgoingFetch } from '@tollgate/command-api/http/outgoing-fetch.ts'
import { knownBrowsers } from '@tollgate/command-api/identity/known-browsers.ts'
import { argon2Passwords } from '@tollgate/command-api/identity/passwords.ts'
import { emailRoutes } from '@tollgate/command-api/identity/email/email-routes.ts'
import { turnstileCheck } from '@tollgate/command-api/identity/human-check.ts'
import {
  CODE_MAIL_LIMIT,
  CRITICAL_LIMIT,
  type RateLimit,
  type RateLimiter,
  NAME_SIGN_IN_LIMIT,
  OWN_PASSWORD_LIMIT,
  SIGN_IN_LIMIT,
} from '@tollgate/command-api/identity/rate-limiter.ts'
import { sessionListRoutes } from '@tollgate/command-api/identity/session-list-routes.ts'
import { sessionRoutes } from '@tollgate/command-api/identity/session-routes.ts'
import { ledgerWithDeadline } from '@tollgate/command-api/accounts/deadline.ts'
import { logRoutes } from '@tollgate/command-api/logs/routes.ts'
import { externalIds } from '@tollgate/command-api/identity/external-ids.ts'
import { discoveryRoute } from '@tollgate/command-api/oauth/discovery-route.ts'
import { oidcDiscovery } from '@tollgate/command-api/oauth/oidc-provider.ts'
import { oauthRoutes } from '@tollgate/command-api/oauth/routes.ts'
import { PROVIDER_ADDRESSES } from '@tollgate/command-api/oauth/provider-addresses.ts'
import { optionHistoryRoute } from '@tollgate/command-api/options/history-route.ts'
import { optionRoutes } from '@tollgate/command-api/options/routes.ts'
import { priceRoutes } from '@tollgate/command-api/prices/routes.ts'
import { takePricesInForce } from '@tollgate/command-api/prices/take-effect.ts'
import { redemptionRoutes } from '@tollgate/command-api/redemptions/routes.ts'
import { setupRoutes } from '@tollgate/command-api/setup/routes.ts'
import { setupState } from '@tollgate/command-api/setup/setup-state.ts'
import { owedTokens } from '@tollgate/command-api/users/first-token.ts'
import { updateRoute } from '@tollgate/command-api/updates/routes.ts'
import { registerRoute } from '@tollgate/command-api/users/register-route.ts'
import { userRoutes } from '@tollgate/command-api/users/routes.ts'
import { expireTokens } from '@tollgate/command-api/tokens/expire-tokens.ts'
import { tokenRoutes } from '@tollgate/command-api/tokens/routes.ts'
import { notifyRoute } from '@tollgate/command-api/wallet/notify-route.ts'
import { ORDER_LIMIT, paymentRoutes } from '@tollgate/command-api/wallet/payment-routes.ts'
import {
  REDEEM_ADDRESS_LIMIT,
  REDEEM_USER_LIMIT,
  redeemRoute,
} from '@tollgate/command-api/wallet/redeem-route.ts'
import { abandonOrders } from '@tollgate/command-api/workflows/top-up-credit.ts'
import type { ApiRoute } from '@tollgate/command-api/http-contract/api-route.ts'
import { balancesOf, usersWithAtLeast } from '@tollgate/projections/balances/queries.ts'
import { countLogsBefore } from '@tollgate/projections/usage-log/queries.ts'
import { pendingOrders } from '@tollgate/projections/top-ups/queries.ts'
import { dueTokens } from '@tollgate/projections/tokens/queries.ts'
import { smtpMailer } from '../../mail/smtp-mailer.ts'
import { postgresRateLimiter } from '../../rate-limits/postgres-rate-limiter.ts'
import type { Config } from '../config.ts'
import type { Engines } from '../engines/engines.ts'
import type { Identity } from './compose-identity.ts'
import type { ComposedLedger } from './compose-ledger.ts'
import { repeating } from '../timers/repeating.ts'
import { VERSION } from '../version.ts'
import type { Runtime } from '../runtime.ts'

/** The commands of the console API, composed. */
export interface ComposedWrites {
  readonly routes: readonly ApiRoute[]
  readonly criticalLimit: RateLimiter
  stop(): Promise<void>
}

/** How often tokens whose time is up are looked for. */
const SWEEP_MS = 5_000
/** How soon the log says that planned prices are in force; relays do not wait for it. */
const TAKE_EFFECT_MS = 500
/** How often orders that nobody paid are looked for. */
const ABANDON_MS = 60_000

export function composeWrites(
  config: Pick<Config, 'isFirstTokenGiven' | 'releasesUrl'>,
  runtime: Runtime,
  engines: Engines,
  identity: Identity,
  composedLedger: ComposedLedger,
  {
    fetch,
    mayReach,
  }: { readonly fetch: OutgoingFetch; readonly mayReach: (ip: string) => boolean },
): ComposedWrites {
  const { clock, randomness, entropy, logger } = runtime
  const { pool, store } = engines
  const {
    vault,
    secrets,
    users,
    sessions,
    visitors,
    usedSignatures,
    emailCodes,
    accessTokens,
    options,
  } = identity
  const ledger = ledgerWithDeadline(composedLedger.ledger, clock)
  const passwords = argon2Passwords(entropy)
  const limited = (limit: RateLimit) => postgresRateLimiter({ pool, limit, clock, logger })
  const addresses = runtime.providers ?? PROVIDER_ADDRESSES
  const humanCheck = turnstileCheck({ options, visitors, fetch, verifyUrl: addresses.turnstile })
  const ownPasswordFailures = limited(OWN_PASSWORD_LIMIT)
  const setup = setupState(pool, clock, VERSION)
  const due = () => dueTokens(pool, clock.now())
  const sweeping = repeating(
    SWEEP_MS,
    () => expireTokens({ ledger, dueTokens: due }),
    (err) => logger.warn({ err }, 'tokens were not swept'),
  )
  const writer = { store, clock, randomness }
  const history = { store, usernames: identity.names.users }
  const abandoning = repeating(
    ABANDON_MS,
    () => abandonOrders({ ...writer, pendingSince: (before) => pendingOrders(pool, before) }),
    (err) => logger.warn({ err }, 'unpaid orders were not given up'),
  )
  const takingEffect = repeating(
    TAKE_EFFECT_MS,
    () => takePricesInForce(writer, options),
    (err) =>
      logger.warn(
        { err },
        'prices: planned prices could not be noted as in force; relays go by them; trying again',
      ),
  )
  const startedAt = clock.now()
  return {
    routes: [
      ...contentRoutes({
        options,
        timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone,
        version: VERSION,
        startedAt,
        isSetUp: () => setup.isDone(),
        pingDatabase: () => pool.query('select 1'),
        clock,
        isDemo: runtime.isDemo === true,
      }),
      ...setupRoutes({
        ...writer,
        secrets: secrets.options,
        users,
        passwords,
        ledger,
        setup,
        options,
      }),
      ...sessionRoutes({
        users,
        sessions,
        passwords,
        options,
        humanCheck,
        failures: limited(SIGN_IN_LIMIT),
        nameLimit: limited(NAME_SIGN_IN_LIMIT),
        knownBrowsers: knownBrowsers({ vault, clock, entropy }),
      }),
      ...sessionListRoutes({ users, sessions }),
      ...emailRoutes({
        users,
        passwords,
        ownPasswordFailures,
        entropy,
        options,
        humanCheck,
        codes: emailCodes,
        mailer: smtpMailer({ options }),
        mailLimit: limited(CODE_MAIL_LIMIT),
        log: logger,
      }),
      registerRoute({
        ...writer,
        users,
        passwords,
        entropy,
        options,
        humanCheck,
        ledger,
        codes: emailCodes,
        secrets: secrets.tokens,
        owed: owedTokens(pool),
        isTokenGiven: config.isFirstTokenGiven,
      }),
      ...oauthRoutes({
        ...writer,
        users,
        externalIds: externalIds(pool),
        sessions,
        visitors,
        usedSignatures,
        options,
        entropy,
        ledger,
        clock,
        fetch,
        findOidcProvider: oidcDiscovery(fetch, clock, logger),
        log: logger,
      }),
      ...userRoutes({
        ...writer,
        users,
        sessions,
        passwords,
        ownPasswordFailures,
        mayReach,
        accessTokens,
        vault,
        entropy,
        options,
        ledger,
        notes: identity.notes,
        figures: (ids) => balancesOf(pool, ids),
        recallIdleQuota: (account) => composedLedger.recallIdleQuota(account),
        usersWithAtLeast: (least) => usersWithAtLeast(pool, least),
      }),
      ...tokenRoutes({
        users,
        ledger,
        secrets: secrets.tokens,
        addresses: identity.addresses,
        entropy,
        clock,
        options,
      }),
      ...redemptionRoutes({ ...writer, secrets: secrets.redemptions, entropy, log: logger }),
      redeemRoute({
        ...writer,
        ledger,
        redemptions: secrets.redemptions,
        userLimit: limited(REDEEM_USER_LIMIT),
        addressLimit: limited(REDEEM_ADDRESS_LIMIT),
        log: logger,
      }),
      ...paymentRoutes({
        ...writer,
        options,
        entropy,
        orderLimit: limited(ORDER_LIMIT),
      }),
      notifyRoute({ ...writer, options, ledger, log: logger }),
      ...optionRoutes({ ...writer, secrets: secrets.options, options }),
      optionHistoryRoute(history),
      ...priceRoutes({ ...writer, options, notes: identity.notes }),
      discoveryRoute({ fetch, options, log: logger }),
      updateRoute({ version: VERSION, releasesUrl: config.releasesUrl, fetch, log: logger }),
      channelHistoryRoute(history),
      ...logRoutes({ ...writer, countLogRowsBefore: (before) => countLogsBefore(pool, before) }),
    ],
    criticalLimit: limited(CRITICAL_LIMIT),
    async stop() {
      await Promise.all([sweeping.stop(), abandoning.stop(), takingEffect.stop()])
    },
  }
}
