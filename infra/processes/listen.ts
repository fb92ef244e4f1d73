import type { AddressInfo } from 'node:net'
import type { FastifyInstance } from 'fastify'
import type { Config } from './config.ts'

/** How long connections may take to close; a client that does not read its answer's end is not waited for. */
const STOP_HTTP_MS = 2_000

/** The address of the configuration cannot be listened on; the message says which and what to do. */
class CannotListen extends Error {
  readonly code = 'CANNOT_LISTEN'
  readonly retryable: boolean
  constructor({ host, port }: Pick<Config, 'host' | 'port'>, cause: NodeJS.ErrnoException) {
    super(listenProblem(host, port, cause), { cause })
    this.name = 'CannotListen'
    this.retryable = cause.code === 'EADDRINUSE'
  }
}

function listenProblem(host: string, port: number, cause: NodeJS.ErrnoException): string {
  if (cause.code === 'EADDRINUSE') {
    return `port ${port} on ${host} is taken by another program: stop it, or set PORT`
  }
  if (cause.code === 'EACCES') {
    return `port ${port} on ${host} is for privileged programs: set PORT to one above 1023`
  }
  return `${host} is no address that this machine can listen on (${cause.message}): set HOST`
}

/**
 * Listens where the configuration says; answers the address, with the port that was free when it said 0. Fails with
 * CannotListen.
 */
export async function listen(
  http: FastifyInstance,
  config: Pick<Config, 'host' | 'port'>,
): Promise<string> {
  await http.listen({ host: config.host, port: config.port }).catch((error: unknown) => {
    throw isOfListening(error) ? new CannotListen(config, error) : error
  })
  const { port } = http.server.address() as AddressInfo
  const host = config.host.includes(':') ? `[${config.host}]` : config.host
  return `http://${host}:${port}`
}

const isOfListening = (error: unknown): error is NodeJS.ErrnoException =>
  error instanceof Error &&
  'syscall' in error &&
  (error.syscall === 'listen' || error.syscall === 'bind' || error.syscall === 'getaddrinfo')

/** The answer of `/readyz` of this process: null when it is ready, else why not. */
export const readinessOf =
  (http: FastifyInstance): (() => Promise<string | null>) =>
  async () => {
    const answer = await http.inject('/readyz')
    if (answer.statusCode === 200) return null
    const { reason } = answer.json<{ readonly reason?: string }>()
    return reason ?? `it answers ${answer.statusCode} to /readyz`
  }

/** Closes the server, and the connections that are still there after a while. */
export async function closeHttp(http: FastifyInstance): Promise<void> {
  const late = setTimeout(() => http.server.closeAllConnections(), STOP_HTTP_MS)
  await http.close().finally(() => clearTimeout(late))
}
