import type { FastifyRequest } from 'fastify'

/**
 * The address under which the sender of a request reached us, such as `https://gate.example.com`; null when its Host is
 * none (RFC 9110, 7.2: `host[:port]`). The result ends in addresses, so that nothing else may stand in it.
 */
export const ownOrigin = ({ protocol, host }: Pick<FastifyRequest, 'protocol' | 'host'>) =>
  HOST.test(host) ? `${protocol === 'https' ? 'https' : 'http'}://${host}` : null

/** A name (with the underscores that container networks have), an IPv4 or a bracketed IPv6 address; perhaps a port. */
const HOST = /^(?:[a-z0-9_](?:[a-z0-9._-]{0,252})|\[[0-9a-f:.]{2,45}\])(?::\d{1,5})?$/i
