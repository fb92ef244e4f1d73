import { DEMO_SITE_REFUSAL } from '@tollgate/command-api/http/demo-site.ts'
import { CROSS_ORIGIN_HEADERS } from '@tollgate/relay/cross-origin.ts'
import type { FastifyInstance } from 'fastify'
import { failureEnvelope } from './failure-envelope.ts'

/**
 * Turns the playground away on a demo site, as every console route is that changes something (decision 33): whoever
 * comes by can sign in there, and its answers cost the operator money. Calls with a token are no console routes.
 */
export function refuseOnDemoSite(app: FastifyInstance, isDemoSite: () => boolean): void {
  app.addHook('onRequest', async (request, reply) => {
    if (request.method !== 'POST' || request.routeOptions.url !== PLAYGROUND_PATH) return undefined
    if (!isDemoSite()) return undefined
    const { message = '', status = 405 } = DEMO_SITE_REFUSAL
    return reply.status(status).headers(CROSS_ORIGIN_HEADERS).send(failureEnvelope(message))
  })
}

const PLAYGROUND_PATH = '/pg/chat/completions'
