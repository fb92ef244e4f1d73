import type { AddressInfo } from 'node:net'
import type { FastifyInstance } from 'fastify'
import type { Config } from './config.ts'

/** How long connections may take to close; a client that does not read its answer's end is not waited for. */
const STOP_HTTP_MS = 2_000

/** Listens where the configuration says; answers the address, with the port that was free when it said 0. */
export async function listen(
  http: FastifyInstance,
  config: Pick<Config, 'host' | 'port'>,
): Promise<string> {
  await http.listen({ host: config.host, port: config.port })
  const { port } = http.server.address() as AddressInfo
  const host = config.host.includes(':') ? `[${config.host}]` : config.host
  return `http://${host}:${port}`
}

/** Closes the server, and the connections that are still there after a while. */
export async function closeHttp(http: FastifyInstance): Promise<void> {
  const late = setTimeout(() => http.server.closeAllConnections(), STOP_HTTP_MS)
  await http.close().finally(() => clearTimeout(late))
}
