import type { RateLimitAnswer, RateLimiter } from '@tollgate/command-api/identity/rate-limiter.ts'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { clientKey } from '../rate-limits/client-key.ts'
import { failureEnvelope } from './failure-envelope.ts'
import { isNavigation } from './is-navigation.ts'
import { tooManyPage } from './too-many-page.ts'

/** Limits per client address over everything of a kind (console-api 1.6); null = none. */
export interface GlobalLimits {
  /** Calls of the console API and of the billing routes for tokens (GA). */
  readonly api: RateLimiter | null
  /** Pages of the console (GW). */
  readonly web: RateLimiter | null
  /** Console calls with an access token, which count for their user and not for the address; null = not told apart. */
  readonly byAccessToken: CountByAccessToken | null
}

/** Counts a call with this Authorization header; null when it holds nobody's access token. */
export type CountByAccessToken = (authorization: string) => Promise<RateLimitAnswer | null>

export const TOO_MANY = '请求次数过多，请稍后再试！'

/**
 * Turns away who asks a scope's routes too often, with 429, the envelope and Retry-After (decision 15); a browser that
 * goes to an address gets a page that says so.
 */
export function limitRequests(
  scope: FastifyInstance,
  limiter: RateLimiter | null,
  {
    name,
    isCounted,
    byAccessToken = null,
  }: {
    readonly name: string
    readonly isCounted: (request: FastifyRequest) => boolean
    readonly byAccessToken?: CountByAccessToken | null | undefined
  },
): void {
  if (limiter === null) return
  scope.addHook('onRequest', async (request, reply) => {
    if (!isCounted(request)) return undefined
    const { authorization } = request.headers
    // A token that is nobody's counts for the address, or made-up tokens would have no limit at all.
    const ofToken =
      byAccessToken === null || authorization === undefined
        ? null
        : await byAccessToken(authorization)
    const verdict = ofToken ?? (await limiter.take(`${name} ${clientKey(request.ip)}`))
    if (verdict.isAllowed) return undefined
    const { retryAfterSeconds } = verdict
    reply.status(429).header('Retry-After', String(retryAfterSeconds))
    return isNavigation(request)
      ? reply.type('text/html').send(tooManyPage(TOO_MANY, retryAfterSeconds))
      : reply.send(failureEnvelope(TOO_MANY))
  })
}

/**
 * Tells the console's pages, and addresses that nothing is served at, from the files that a page is built of: a browser
 * fetches those by the dozen.
 */
export function isPageOf(pages: readonly string[]): (request: FastifyRequest) => boolean {
  const known = new Set(pages)
  return ({ routeOptions: { url } }) => url === undefined || known.has(url)
}

/**
 * A call of the console API, by its matched route: an address can be written in many ways (`/%61pi/...`, the absolute
 * form). A page may show more pictures of drawings (`/mj/image/...`) than anybody makes calls.
 */
export const isCall = (request: FastifyRequest): boolean => isBelow(request, '/api')

/** `/dashboard/billing/...` and the same under `/v1`, which the relay serves. */
export const isBilling = (request: FastifyRequest): boolean =>
  isBelow(request, '/dashboard/') || isBelow(request, '/v1/dashboard/')

const isBelow = ({ routeOptions: { url } }: FastifyRequest, prefix: string): boolean =>
  url?.startsWith(prefix) === true
