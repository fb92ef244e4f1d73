import type { FastifyBaseLogger } from 'fastify'

/**
 * The logger of one request, made when something is logged through it: hardly any request has anything to say, and
 * a pino child costs more than routing does.
 */
export function lazyChildLogger(
  parent: FastifyBaseLogger,
  ...made: Parameters<FastifyBaseLogger['child']>
): FastifyBaseLogger {
  let child: FastifyBaseLogger | null = null
  return new Proxy(parent, {
    get(_parent, name) {
      child ??= parent.child(...made)
      return Reflect.get(child, name, child) as unknown
    },
  })
}
