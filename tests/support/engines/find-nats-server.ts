import { delimiter, join } from 'node:path'
import { isExecutable } from '../browser/chromium.ts'

/** Where packages put daemons, which is not on everybody's PATH. */
const FOLDERS_OF_DAEMONS = ['/usr/sbin', '/usr/local/sbin', '/usr/local/bin', '/opt/homebrew/bin']

/**
 * Path of the nats-server that tests start: NATS_SERVER_PATH when set, else the first on PATH; null when there is
 * none. Throws when NATS_SERVER_PATH names something that cannot be run: a wrong setting is never passed over.
 */
export function findNatsServer(env: NodeJS.ProcessEnv): string | null {
  const chosen = env['NATS_SERVER_PATH']
  if (chosen) {
    if (isExecutable(chosen)) return chosen
    throw new Error(`NATS_SERVER_PATH is ${chosen}, which is not a program that can be run`)
  }
  const folders = (env['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '')
  const candidates = [...folders, ...FOLDERS_OF_DAEMONS].map((folder) =>
    join(folder, 'nats-server'),
  )
  return candidates.find(isExecutable) ?? null
}

/** Advice for a machine without one. */
export const NATS_SERVER_ADVICE =
  'install nats-server (2.9 or newer) or set NATS_SERVER_PATH to its binary, such as NATS_SERVER_PATH=/usr/sbin/nats-server'
