import fastifyCompress from '@fastify/compress'
import fastifyCookie from '@fastify/cookie'
import fastifyHelmet from '@fastify/helmet'
import Fastify, { type FastifyBaseLogger, type FastifyInstance, LogController } from 'fastify'
import { type ApiOptions, mountApi } from './api.ts'
import { refuseBrokenRequest, refuseTwoHosts } from './broken-requests.ts'
import { builtConsole, serveConsole } from './console-files.ts'
import { type GlobalLimits, isBilling, isCall, isPageOf, limitRequests } from './global-limits.ts'
import { makeServer } from './connections.ts'
import { lazyChildLogger } from './lazy-child-logger.ts'
import { mountReferencePage } from './openapi/page.ts'
import { newRequestId, REQUEST_ID_HEADER } from './request-id.ts'
import { answerUnknown, refuseAddress } from './unknown-address.ts'

export interface HttpServerOptions {
  readonly logger: FastifyBaseLogger
  /** Addresses and ranges of proxies whose forwarded headers are believed; empty = none. */
  readonly trustedProxies: readonly string[]
  /** The console's calls; null in a process that does not serve them. */
  readonly api: ConsoleApi | null
  /** Adds the relay's routes; null in a process that has no relay. */
  readonly registerRelay: ((app: FastifyInstance) => void | Promise<void>) | null
  /** Folder of the built console; null in a process that does not serve it. */
  readonly consoleFolder: string | null
  readonly limits: GlobalLimits
  /** Null when everything works, else what does not. */
  readonly readinessProblem: () => Promise<string | null>
  /** A problem that an operator should look into although requests can be served; null when there is nothing. */
  readonly warning: () => string | null
}

export interface ConsoleApi extends ApiOptions {
  /** Services whose scripts pages must load: the human check, Telegram's login widget. */
  readonly foreignScripts: () => readonly (keyof typeof SCRIPT_ORIGINS)[]
  /** Address of the payment gateway that pages send people to, as the operator wrote it; '' when there is none. */
  readonly paymentAddress: () => string
  /** The OpenAPI document of its routes, for the page that shows it. */
  readonly document: () => object
}

/** The one HTTP server of a process: health, and what it has of console API, relay and console. Not yet listening. */
export async function createHttpServer(options: HttpServerOptions): Promise<FastifyInstance> {
  const app = Fastify({
    loggerInstance: options.logger,
    genReqId: newRequestId,
    requestIdHeader: false,
    // One line per request would drown the log; what fails is logged where it fails, with its request id.
    logController: new LogController({
      disableRequestLogging: true,
      requestIdLogLabel: 'requestId',
    }),
    trustProxy: options.trustedProxies.length > 0 ? [...options.trustedProxies] : false,
    routerOptions: { ignoreTrailingSlash: true },
    forceCloseConnections: 'idle',
    clientErrorHandler: refuseBrokenRequest,
    serverFactory: makeServer,
    // An address that cannot be read reaches no hook and no route.
    frameworkErrors: (error, request, reply) => {
      reply.header(REQUEST_ID_HEADER, request.id)
      void refuseAddress(request, reply, error.statusCode ?? 400)
    },
  })
  app.setChildLoggerFactory((parent, bindings, options) =>
    lazyChildLogger(parent, bindings, options),
  )
  app.addHook('onRequest', (request, reply, done) => {
    reply.header(REQUEST_ID_HEADER, request.id)
    if (refuseTwoHosts(request, reply) === null) done()
  })
  app.get('/healthz', () => ({ status: 'alive' }))
  app.get('/readyz', async (_request, reply) => {
    const reason = await options.readinessProblem()
    const warning = options.warning()
    if (reason === null) return { status: 'ready', ...(warning === null ? {} : { warning }) }
    return reply.status(503).send({ status: 'not ready', reason })
  })
  const { api, registerRelay, consoleFolder, limits } = options
  if (api !== null) {
    await app.register(async (scope) => {
      await scope.register(fastifyHelmet, HEADERS)
      limitRequests(scope, limits.api, {
        name: 'api',
        isCounted: isCall,
        byAccessToken: limits.byAccessToken,
      })
      await scope.register(fastifyCompress, { global: true })
      await scope.register(fastifyCookie)
      await scope.register(async (mounted) => mountApi(mounted, api))
      await scope.register(async (mounted) => mountReferencePage(mounted, api.document))
    })
  }
  if (registerRelay !== null) {
    await app.register(async (scope) => {
      limitRequests(scope, limits.api, { name: 'api', isCounted: isBilling })
      await registerRelay(scope)
    })
  }
  if (consoleFolder === null) {
    app.setNotFoundHandler(answerUnknown)
  } else {
    const built = builtConsole(consoleFolder)
    await app.register(async (scope) => {
      await scope.register(fastifyHelmet, pageHeaders(api))
      limitRequests(scope, limits.web, {
        name: 'web',
        isCounted: isPageOf(built?.pages.map(({ address }) => address) ?? ['/']),
      })
      await scope.register(fastifyCompress, { global: true })
      await serveConsole(scope, built)
    })
  }
  return app
}

/** The same for pages, which may have to load scripts of others and to post the form of an order to a payment gateway. */
const pageHeaders = (api: ConsoleApi | null) => ({
  ...HEADERS,
  contentSecurityPolicy: {
    directives: {
      ...HEADERS.contentSecurityPolicy.directives,
      'script-src': [
        () => {
          const services = api?.foreignScripts() ?? []
          return ["'self'", ...services.map((service) => SCRIPT_ORIGINS[service])].join(' ')
        },
      ],
      // A gateway sends people on to banks, and the directive holds for where a form is redirected to as well.
      'form-action': [
        () => {
          const gateway = URL.parse(api?.paymentAddress() ?? '')
          return ["'self'", 'https:', ...(gateway === null ? [] : [gateway.origin])].join(' ')
        },
      ],
    },
  },
})

const SCRIPT_ORIGINS = {
  turnstile: 'https://challenges.cloudflare.com',
  telegram: 'https://telegram.org',
} as const

/** Emotion writes style elements; home and about pages may be frames and images of any https address. */
const HEADERS = {
  contentSecurityPolicy: {
    directives: {
      'default-src': ["'self'"],
      'script-src': ["'self'"],
      'style-src': ["'self'", "'unsafe-inline'"],
      'img-src': ["'self'", 'data:', 'https:'],
      'frame-src': ["'self'", 'https:'],
      'connect-src': ["'self'"],
      'upgrade-insecure-requests': null,
    },
  },
  // Set by the proxy that terminates TLS in front; Tollgate itself speaks plain HTTP.
  strictTransportSecurity: false,
  crossOriginEmbedderPolicy: false,
} as const
