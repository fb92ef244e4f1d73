import { createServer } from 'node:net'
import { existsSync } from 'node:fs'
import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import process from 'node:process'

/**
 * PostgreSQL's socket in the cluster's folder. Processes of this machine talk to it for a tenth less of the processors'
 * time than over 127.0.0.1, which it listens on as well.
 */

/** As PostgreSQL names it (https://www.postgresql.org/docs/current/runtime-config-connection.html). */
const PREFIX = '.s.PGSQL.'
/** The shortest address that a system takes (macOS), with the 0 behind it. */
const ADDRESS_BYTES = 104
const PROBE = '.socket-probe'

const socketIn = (folder: string, port: number): string => join(folder, `${PREFIX}${port}`)

/** Whether a socket fits into a folder, and its disk and system have sockets. */
export async function canHoldSocket(folder: string): Promise<boolean> {
  const longest = Buffer.byteLength(socketIn(folder, 65_535))
  if (process.platform === 'win32' || longest >= ADDRESS_BYTES) return false
  const probe = join(folder, PROBE)
  await rm(probe, { force: true })
  const server = createServer()
  return new Promise((resolve) => {
    server.once('error', () => resolve(false))
    server.listen(probe, () => server.close(() => resolve(true)))
  })
}

/** Removes what a server that was killed has left: PostgreSQL does not start where another program has its number by now. */
export async function removeSockets(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    if (name.startsWith(PREFIX)) await rm(join(folder, name), { force: true })
  }
}

/** The address of a database by the socket in a folder; by its port alone where there is none. */
export function localAddress(address: string, folder: string): string {
  const url = new URL(address)
  if (existsSync(socketIn(folder, Number(url.port)))) url.searchParams.set('host', folder)
  return url.href
}

/** The same database by its port, for programs that know no sockets. */
export function addressByPort(address: string): string {
  const url = new URL(address)
  url.searchParams.delete('host')
  return url.href
}
