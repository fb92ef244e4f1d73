import { existsSync } from 'node:fs'
import fastifyStatic from '@fastify/static'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { answerPreflight } from './any-site.ts'
import { refuseAddress } from './unknown-address.ts'

const YEAR_SECONDS = 31_536_000
/** Addresses of programs, where an unknown path is an error and never the console's page. */
const API_PREFIXES = ['/api', '/v1', '/pg', '/mj', '/suno', '/dashboard', '/assets']

/**
 * Serves the built console: hashed assets for a year, its page never from a cache, and the page for every path that
 * the console's own router may know.
 */
export async function serveConsole(app: FastifyInstance, folder: string): Promise<void> {
  const isBuilt = existsSync(folder)
  if (isBuilt) {
    await app.register(fastifyStatic, {
      root: folder,
      wildcard: false,
      index: false,
      cacheControl: false,
      preCompressed: true,
      setHeaders: (reply, path) => {
        const isHashed = path.includes('/assets/')
        reply.header(
          'Cache-Control',
          isHashed ? `public, max-age=${YEAR_SECONDS}, immutable` : 'no-cache',
        )
      },
    })
  }
  app.get('/', (_request, reply) =>
    isBuilt ? reply.sendFile('index.html') : reply.send(NOT_BUILT),
  )
  app.setNotFoundHandler((request, reply) => {
    if (isBuilt && wantsPage(request)) return reply.sendFile('index.html')
    return request.method === 'OPTIONS'
      ? answerPreflight(request, reply)
      : refuseAddress(request, reply)
  })
}

const wantsPage = ({ method, url }: FastifyRequest): boolean =>
  method === 'GET' && !API_PREFIXES.some((prefix) => url === prefix || url.startsWith(`${prefix}/`))

const NOT_BUILT = 'The console is not built. Run: npm run build'
