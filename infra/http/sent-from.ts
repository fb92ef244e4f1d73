import type { SentFrom } from '@tollgate/command-api/http-contract/api-route.ts'
import type { FastifyRequest } from 'fastify'

type Headers = Pick<FastifyRequest, 'headers' | 'host'>

/**
 * The source of a request. Over https and to this machine browsers say it in Sec-Fetch-Site. Over plain HTTP they name
 * the page's Origin at most, which must then be the host that they reached, or `serverAddress` ('' = not set). A
 * script, an old browser, and over plain HTTP a link or picture on any page send neither.
 */
export function sentFrom({ headers, host }: Headers, serverAddress: string): SentFrom {
  const site = headers['sec-fetch-site']
  if (site === 'same-origin') return 'own-page'
  if (site === 'none') return 'address-bar'
  // A value that the standard does not have shows nothing: https://www.w3.org/TR/fetch-metadata/#sec-fetch-site-header
  if (site !== undefined) return 'other-site'
  const { origin } = headers
  if (origin === undefined) return 'unknown'
  return isOwnOrigin(origin, host, serverAddress) ? 'own-page' : 'other-site'
}

/** `null` stands for pages that nobody may know the origin of, and is nobody's. */
function isOwnOrigin(origin: string, host: string, serverAddress: string): boolean {
  if (!URL.canParse(origin)) return false
  const page = new URL(origin)
  if (URL.canParse(serverAddress) && new URL(serverAddress).host === page.host) return true
  // Read by the page's scheme: a proxy that ends TLS before us may leave the scheme's own port there.
  const reached = `${page.protocol}//${host}`
  if (!URL.canParse(reached)) return false
  const { host: ownHost, hostname } = new URL(reached)
  // Many proxies pass a host on without its port; all ports of a host share their cookies anyway.
  return page.host === ownHost || (!HAS_PORT.test(host) && page.hostname === hostname)
}

const HAS_PORT = /:\d+$/
