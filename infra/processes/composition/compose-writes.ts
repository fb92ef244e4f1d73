import { CRITICAL_LIMIT, type RateLimiter } from '@tollgate/command-api/identity/rate-limiter.ts'
import { ledgerWithDeadline } from '@tollgate/command-api/accounts/deadline.ts'
import { takePricesInForce } from '@tollgate/command-api/prices/take-effect.ts'
import { expireTokens } from '@tollgate/command-api/tokens/expire-tokens.ts'
import { abandonOrders } from '@tollgate/command-api/workflows/top-up-credit.ts'
import type { ApiRoute } from '@tollgate/command-api/http-contract/api-route.ts'
import { pendingOrders } from '@tollgate/projections/top-ups/queries.ts'
import { dueTokens } from '@tollgate/projections/tokens/queries.ts'
import { postgresRateLimiter } from '../../rate-limits/postgres-rate-limiter.ts'
import { repeating, type Repeating } from '../timers/repeating.ts'
import { type WriteParts, composeWriteRoutes } from './write-routes.ts'

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

export function composeWrites(parts: WriteParts): ComposedWrites {
  const { clock, logger } = parts.runtime
  const { pool } = parts.engines
  const timers = startTimers(parts)
  return {
    routes: composeWriteRoutes(parts),
    criticalLimit: postgresRateLimiter({ pool, limit: CRITICAL_LIMIT, clock, logger }),
    async stop() {
      await Promise.all(timers.map((timer) => timer.stop()))
    },
  }
}

/** Starts the commands that time brings about: tokens expire, orders are given up, planned prices take effect. */
function startTimers({
  runtime,
  engines,
  identity,
  composedLedger,
}: WriteParts): readonly Repeating[] {
  const { clock, randomness, logger } = runtime
  const { db, store } = engines
  const writer = { store, clock, randomness }
  const ledger = ledgerWithDeadline(composedLedger.ledger, clock)
  const due = () => dueTokens(db, clock.now())
  return [
    repeating(
      SWEEP_MS,
      () => expireTokens({ ledger, dueTokens: due }),
      (err) => logger.warn({ err }, 'tokens were not swept'),
    ),
    repeating(
      ABANDON_MS,
      () => abandonOrders({ ...writer, pendingSince: (before) => pendingOrders(db, before) }),
      (err) => logger.warn({ err }, 'unpaid orders were not given up'),
    ),
    repeating(
      TAKE_EFFECT_MS,
      () => takePricesInForce(writer, identity.options),
      (err) =>
        logger.warn(
          { err },
          'prices: planned prices could not be noted as in force; relays go by them; trying again',
        ),
    ),
  ]
}
