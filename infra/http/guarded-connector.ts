import { type LookupAddress, lookup as systemLookup } from 'node:dns'
import { isIP, type LookupFunction } from 'node:net'
import { buildConnector } from 'undici'

export interface GuardedConnectorOptions {
  /** Whether a connection to an IP address (as text) may be made; asked for every connection. */
  readonly mayReach: (ip: string) => boolean
  /** The error of a host that may not be reached. */
  readonly refusal: (host: string) => Error
  readonly timeoutMs: number
  /** How names become addresses; the system's way unless a test says otherwise. */
  readonly lookup?: LookupFunction | undefined
}

/**
 * Makes connections to the very IP address that was checked, so a name that resolves differently the second time changes
 * nothing. Checks addresses written as such, which are never looked up, and those that names resolve to.
 */
export function guardedConnector({
  mayReach,
  refusal,
  timeoutMs,
  lookup = systemLookup,
}: GuardedConnectorOptions): buildConnector.connector {
  const connect = buildConnector({
    timeout: timeoutMs,
    lookup: guardedLookup(lookup, mayReach, refusal),
  })
  return (target, callback) => {
    if (isIP(target.hostname) !== 0 && !mayReach(target.hostname)) {
      callback(refusal(target.hostname), null)
      return
    }
    connect(target, callback)
  }
}

/** One forbidden address among several refuses the name: a server that mixes them is not to be trusted. */
function guardedLookup(
  lookup: LookupFunction,
  mayReach: (ip: string) => boolean,
  refusal: (host: string) => Error,
): LookupFunction {
  return (hostname, lookupOptions, callback) => {
    lookup(hostname, lookupOptions, (error, found, family) => {
      if (error !== null) {
        callback(error, found, family)
        return
      }
      const addresses: readonly LookupAddress[] =
        typeof found === 'string' ? [{ address: found, family: family ?? isIP(found) }] : found
      const isFit = addresses.every(({ address }) => mayReach(address))
      callback(isFit ? null : refusal(hostname), found, family)
    })
  }
}
