import { existsSync, readdirSync } from 'node:fs'
import type { RateLimiter } from '@tollgate/command-api/identity/rate-limiter.ts'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { clientKey } from '../rate-limits/client-key.ts'
import { isNavigation } from './is-navigation.ts'
import { tooManyPage } from './too-many-page.ts'

/** Limits per client address over everything of a kind (console-api 1.6); null = none. */
export interface GlobalLimits {
  /** Calls of the console API and of the billing routes for tokens (GA). */
  readonly api: RateLimiter | null
  /** Pages of the console (GW). */
  readonly web: RateLimiter | null
}

export const TOO_MANY = '请求次数过多，请稍后再试！'

/**
 * Turns away who asks a scope's routes too often, with 429, the envelope and Retry-After (decision 15); a browser that
 * goes to an address gets a page that says so.
 */
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
    const { retryAfterSeconds } = verdict
    reply.status(429).header('Retry-After', String(retryAfterSeconds))
    return isNavigation(request)
      ? reply.type('text/html').send(tooManyPage(TOO_MANY, retryAfterSeconds))
      : reply.send({ success: false, message: TOO_MANY })
  })
}

/**
 * Tells pages from the files that a page is built of, which a browser fetches by the dozen: those below `/assets/` and
 * whatever lies beside the page in the folder of the built console.
 */
export function isPageOf(consoleFolder: string): (request: FastifyRequest) => boolean {
  const files = new Set(filesIn(consoleFolder).map((name) => `/${name}`))
  return ({ url }) => !url.startsWith('/assets/') && !files.has(url.split('?', 1)[0] ?? '')
}

const filesIn = (folder: string): readonly string[] =>
  existsSync(folder) ? readdirSync(folder).filter((name) => name !== 'index.html') : []

/** A call of the console API; a page may show more pictures of drawings (`/mj/image/...`) than anybody makes calls. */
export const isCall = ({ url }: FastifyRequest): boolean => url.startsWith('/api')

/** `/dashboard/billing/...` and the same under `/v1`, which the relay serves. */
export const isBilling = ({ url }: FastifyRequest): boolean =>
  url.startsWith('/dashboard/') || url.startsWith('/v1/dashboard/')
