import type { FastifyRequest } from 'fastify'

type Headers = Pick<FastifyRequest, 'headers' | 'host'>

/**
 * Whether a page of another site makes a browser send this. Over https and to this machine browsers say so in
 * Sec-Fetch-Site, where `none` is an address typed or a bookmark. Over plain HTTP they only name the page's Origin, which
 * must then be the host that they reached, or `serverAddress` ('' = not set). Who sends neither is no browser, an old
 * one, or follows a link.
 */
export function isFromOtherSite({ headers, host }: Headers, serverAddress: string): boolean {
  const site = headers['sec-fetch-site']
  if (site !== undefined) return site === 'cross-site' || site === 'same-site'
  const { origin } = headers
  return origin !== undefined && !isOwnOrigin(origin, host, serverAddress)
}

/** `null` stands for pages that nobody may know the origin of, and is nobody's. */
function isOwnOrigin(origin: string, host: string, serverAddress: string): boolean {
  if (!URL.canParse(origin)) return false
  const page = new URL(origin)
  if (URL.canParse(serverAddress) && new URL(serverAddress).host === page.host) return true
  // Read by the page's scheme: whoever ends TLS before us may leave the scheme's own port there.
  const reached = `${page.protocol}//${host}`
  if (!URL.canParse(reached)) return false
  const { host: ownHost, hostname } = new URL(reached)
  // Many proxies pass a host on without its port; all ports of a host share their cookies anyway.
  return page.host === ownHost || (!HAS_PORT.test(host) && page.hostname === hostname)
}

const HAS_PORT = /:\d+$/
