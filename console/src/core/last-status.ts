import type { Status } from './contract.ts'

/**
 * The settings of the last visit out of the local key `status`. None when another version wrote them, which may have had
 * other fields, or before the setup, which somebody may have finished since.
 */
export function lastStatus(stored: string | null, version: string): Status | undefined {
  try {
    const status = JSON.parse(stored ?? 'null') as Status | null
    return status?.setup && status.version === version ? status : undefined
  } catch {
    // Another program of the same origin may keep something of its own under this key.
    return undefined
  }
}

/** The public settings as this browser saw them last, if it has seen those of this version. */
export function statusOfLastVisit(): Status | undefined {
  return lastStatus(localStorage.getItem('status'), import.meta.env['TOLLGATE_VERSION'])
}

/** The address that the server answers until an administrator has set the option ServerAddress. */
const UNSET_ADDRESS = 'http://localhost:3000'

/** The address that clients call: the one that was set, else the one this page came from, which surely works. */
export function clientAddress(status: Status | undefined): string {
  const address = status?.server_address
  return !address || address === UNSET_ADDRESS ? location.origin : address
}
