import { contentRoutes } from '@tollgate/command-api/content/routes.ts'
import type { OutgoingFetch } from '@tollgate/command-api/http/outgoing-fetch.ts'
import { knownBrowsers } from '@tollgate/command-api/identity/known-browsers.ts'
import { argon2Passwords, type Passwords } from '@tollgate/command-api/identity/passwords.ts'
import { emailRoutes } from '@tollgate/command-api/identity/email/email-routes.ts'
import { turnstileCheck, type HumanCheck } from '@tollgate/command-api/identity/human-check.ts'
import {
  CODE_MAIL_LIMIT,
  type RateLimit,
  type FailureLimiter,
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
import { redemptionRoutes } from '@tollgate/command-api/redemptions/routes.ts'
import { setupRoutes } from '@tollgate/command-api/setup/routes.ts'
import { setupState } from '@tollgate/command-api/setup/setup-state.ts'
import { owedTokens } from '@tollgate/command-api/users/first-token.ts'
import { updateRoute } from '@tollgate/command-api/updates/routes.ts'
import { registerRoute } from '@tollgate/command-api/users/register-route.ts'
import { userRoutes } from '@tollgate/command-api/users/routes.ts'
import { tokenRoutes } from '@tollgate/command-api/tokens/routes.ts'
import { notifyRoute } from '@tollgate/command-api/wallet/notify-route.ts'
import { ORDER_LIMIT, paymentRoutes } from '@tollgate/command-api/wallet/payment-routes.ts'
import {
  REDEEM_ADDRESS_LIMIT,
  REDEEM_USER_LIMIT,
  redeemRoute,
} from '@tollgate/command-api/wallet/redeem-route.ts'
import type { ApiRoute } from '@tollgate/command-api/http-contract/api-route.ts'
import { balancesOf, usersWithAtLeast } from '@tollgate/projections/balances/queries.ts'
import { countLogsBefore } from '@tollgate/projections/usage-log/queries.ts'
import { smtpMailer } from '../../mail/smtp-mailer.ts'
import { postgresRateLimiter } from '../../rate-limits/postgres-rate-limiter.ts'
import type { Config } from '../config.ts'
import type { Engines } from '../engines/engines.ts'
import type { Identity } from './compose-identity.ts'
import type { ComposedLedger } from './compose-ledger.ts'
import { VERSION } from '../version.ts'
import type { Runtime } from '../runtime.ts'
import type { Ledger } from '@tollgate/command-api/accounts/account-ledger.ts'
import type { AggregateWriter } from '@tollgate/command-api/aggregates/aggregate.ts'

/** The parts of a process that the console API's commands are made of. */
export interface WriteParts {
  readonly config: Pick<Config, 'isFirstTokenGiven' | 'releasesUrl'>
  readonly runtime: Runtime
  readonly engines: Engines
  readonly identity: Identity
  readonly composedLedger: ComposedLedger
  readonly fetch: OutgoingFetch
  readonly mayReach: (ip: string) => boolean
}

/** Parts that several groups of routes share. */
interface SharedParts extends WriteParts {
  readonly writer: AggregateWriter
  /** Commands on accounts, with the deadline that people's commands have. */
  readonly ledger: Ledger
  readonly passwords: Passwords
  readonly ownPasswordFailures: FailureLimiter
  readonly humanCheck: HumanCheck
  readonly limited: (limit: RateLimit) => FailureLimiter
}

/** The routes of all commands but those on channels. */
export function composeWriteRoutes(parts: WriteParts): readonly ApiRoute[] {
  const { runtime, engines, identity, composedLedger, fetch } = parts
  const { clock, randomness, entropy, logger } = runtime
  const { pool, store } = engines
  const { options, visitors } = identity
  const limited = (limit: RateLimit) => postgresRateLimiter({ pool, limit, clock, logger })
  const { turnstile: verifyUrl } = runtime.providers ?? PROVIDER_ADDRESSES
  const shared: SharedParts = {
    ...parts,
    writer: { store, clock, randomness },
    ledger: ledgerWithDeadline(composedLedger.ledger, clock),
    passwords: argon2Passwords(entropy),
    ownPasswordFailures: limited(OWN_PASSWORD_LIMIT),
    humanCheck: turnstileCheck({ options, visitors, fetch, verifyUrl }),
    limited,
  }
  return [
    ...siteRoutes(shared),
    ...signInRoutes(shared),
    ...userAndTokenRoutes(shared),
    ...quotaRoutes(shared),
    ...settingRoutes(shared),
  ]
}

/** Facts about the site that everybody may read, and its first steps. */
function siteRoutes(parts: SharedParts): readonly ApiRoute[] {
  const { runtime, engines, identity, writer, passwords, ledger } = parts
  const { secrets, users, options } = identity
  const { clock } = runtime
  const { pool, db } = engines
  const setup = setupState(db, clock, VERSION)
  const startedAt = clock.now()
  return [
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
  ]
}

/** Signing up and in: by password, by mail and through other providers. */
function signInRoutes(parts: SharedParts): readonly ApiRoute[] {
  const { config, runtime, engines, identity, fetch } = parts
  const { writer, ledger, passwords, ownPasswordFailures, humanCheck, limited } = parts
  const { vault, secrets, users, sessions, visitors, usedSignatures, emailCodes, options } =
    identity
  const { clock, entropy, logger } = runtime
  const { db } = engines
  return [
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
      owed: owedTokens(db),
      isTokenGiven: config.isFirstTokenGiven,
    }),
    ...oauthRoutes({
      ...writer,
      users,
      externalIds: externalIds(db),
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
  ]
}

function userAndTokenRoutes(parts: SharedParts): readonly ApiRoute[] {
  const { runtime, engines, identity, composedLedger, mayReach } = parts
  const { writer, ledger, passwords, ownPasswordFailures } = parts
  const { vault, secrets, users, sessions, accessTokens, options } = identity
  const { clock, entropy } = runtime
  return [
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
      figures: (ids) => balancesOf(engines.db, ids),
      recallIdleQuota: (account) => composedLedger.recallIdleQuota(account),
      usersWithAtLeast: (least) => usersWithAtLeast(engines.db, least),
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
  ]
}

/** How quota is sold: codes, orders and what payment providers tell. */
function quotaRoutes(parts: SharedParts): readonly ApiRoute[] {
  const { runtime, identity, writer, ledger, limited } = parts
  const { secrets, options } = identity
  const { entropy, logger } = runtime
  return [
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
  ]
}

/** Options and prices with their histories, and the upkeep of the site. */
function settingRoutes(parts: SharedParts): readonly ApiRoute[] {
  const { config, runtime, engines, identity, fetch, writer } = parts
  const { secrets, options } = identity
  const { logger } = runtime
  const { store } = engines
  return [
    ...optionRoutes({ ...writer, secrets: secrets.options, options, notes: identity.notes }),
    optionHistoryRoute({ store, usernames: identity.names.users, notes: identity.names.notes }),
    ...priceRoutes({ ...writer, options, notes: identity.notes }),
    discoveryRoute({ fetch, options, log: logger }),
    updateRoute({ version: VERSION, releasesUrl: config.releasesUrl, fetch, log: logger }),
    ...logRoutes({
      ...writer,
      countLogRowsBefore: (before) => countLogsBefore(engines.db, before),
    }),
  ]
}
