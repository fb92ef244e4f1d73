import { slidingWindowLimiter } from '@tollgate/command-api/identity/rate-limiter.ts'
import type { GlobalLimits } from '../../http/global-limits.ts'
import { postgresRateLimiter } from '../../rate-limits/postgres-rate-limiter.ts'
import { rememberedRefusals } from '../../rate-limits/remembered-refusals.ts'
import type { Config } from '../config.ts'
import type { Engines } from '../engines/engines.ts'
import type { World } from '../world.ts'

/**
 * Calls are counted by all processes together. Pages are counted by each process alone: they are files from memory, and
 * a row written for each would cost more than the page.
 */
export function composeGlobalLimits(
  { apiLimit, webLimit }: Pick<Config, 'apiLimit' | 'webLimit'>,
  { clock, logger }: World,
  { pool }: Pick<Engines, 'pool'>,
): GlobalLimits {
  return {
    api:
      apiLimit &&
      rememberedRefusals(postgresRateLimiter({ pool, limit: apiLimit, clock, logger }), clock),
    web: webLimit && slidingWindowLimiter(webLimit, clock),
  }
}

export const NO_LIMITS: GlobalLimits = { api: null, web: null }
