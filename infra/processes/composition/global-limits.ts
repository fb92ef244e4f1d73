import { accessTokenIn } from '@tollgate/command-api/identity/authenticate.ts'
import {
  type RateLimiter,
  slidingWindowLimiter,
} from '@tollgate/command-api/identity/rate-limiter.ts'
import type { CountByAccessToken, GlobalLimits } from '../../http/global-limits.ts'
import { postgresRateLimiter } from '../../rate-limits/postgres-rate-limiter.ts'
import { rememberedRefusals } from '../../rate-limits/remembered-refusals.ts'
import type { Config } from '../config.ts'
import type { Engines } from '../engines/engines.ts'
import type { Runtime } from '../runtime.ts'
import type { Identity } from './compose-identity.ts'

/** Window within which option AccessTokenRateLimit counts. */
const ACCESS_TOKEN_WINDOW_MS = 180_000

/**
 * Calls are counted by all processes together. Pages are counted by each process alone: they are files from memory, and
 * a row written for each would cost more than the page. `identity` is null in a process without the console's calls.
 */
export function composeGlobalLimits(
  { apiLimit, webLimit }: Pick<Config, 'apiLimit' | 'webLimit'>,
  runtime: Runtime,
  engines: Pick<Engines, 'pool'>,
  identity: Pick<Identity, 'accessTokens' | 'options'> | null,
): GlobalLimits {
  const { clock, logger } = runtime
  const shared = (attempts: number, windowMs: number): RateLimiter =>
    rememberedRefusals(
      postgresRateLimiter({ pool: engines.pool, limit: { attempts, windowMs }, clock, logger }),
      clock,
    )
  return {
    api: apiLimit && shared(apiLimit.attempts, apiLimit.windowMs),
    web: webLimit && slidingWindowLimiter(webLimit, clock),
    byAccessToken:
      identity &&
      countByAccessToken(identity, (attempts) => shared(attempts, ACCESS_TOKEN_WINDOW_MS)),
  }
}

export const NO_LIMITS: GlobalLimits = { api: null, web: null, byAccessToken: null }

function countByAccessToken(
  { accessTokens, options }: Pick<Identity, 'accessTokens' | 'options'>,
  limiterOf: (attempts: number) => RateLimiter,
): CountByAccessToken {
  let present = { attempts: 0, limiter: limiterOf(0) }
  return async (authorization) => {
    const token = accessTokenIn(authorization)
    const user = token === '' ? null : await accessTokens.find(token)
    if (user === null) return null
    const attempts = options.current().number('AccessTokenRateLimit')
    if (attempts === 0) return { isAllowed: true }
    if (attempts !== present.attempts) present = { attempts, limiter: limiterOf(attempts) }
    return present.limiter.take(`access-token ${user.userId}`)
  }
}
