import type { RateLimiter } from '@tollgate/command-api/identity/rate-limiter.ts'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { clientKey } from '../rate-limits/client-key.ts'

/** Limits per client address over everything of a kind (console-api 1.6); null = none. */
export interface GlobalLimits {
  /** Calls of the console API and of the billing routes for tokens (GA). */
  readonly api: RateLimiter | null
  /** Pages of the console (GW). */
  readonly web: RateLimiter | null
}

export const TOO_MANY = '请求次数过多，请稍后再试！'

/** Turns away who asks a scope's routes too often, with 429, the envelope and Retry-After (decision 15). */
export function limitRequests(
  scope: FastifyInstance,
  limiter: RateLimiter | null,
  name: string,
  isCounted: (request: FastifyRequest) => boolean = () => true,
): void {
  if (limiter === null) return
  scope.addHook('onRequest', async (request, reply) => {
    if (!isCounted(request)) return undefined
    const verdict = await limiter.take(`${name} ${clientKey(request.ip)}`)
    if (verdict.isAllowed) return undefined
    return reply
      .status(429)
      .header('Retry-After', String(verdict.retryAfterSeconds))
      .send({ success: false, message: TOO_MANY })
  })
}

/** Files of the build, named by their content: fetched once by each browser, a dozen for one page. */
export const isNoAsset = ({ url }: FastifyRequest): boolean => !url.startsWith('/assets/')

/** `/dashboard/billing/...` and the same under `/v1`, which the relay serves. */
export const isBilling = ({ url }: FastifyRequest): boolean =>
  url.startsWith('/dashboard/') || url.startsWith('/v1/dashboard/')
