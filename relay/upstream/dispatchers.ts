import { LRUCache } from 'lru-cache'
import { isIP } from 'node:net'
import {
  Agent,
  type buildConnector,
  type Dispatcher,
  Pool,
  ProxyAgent,
  Socks5ProxyAgent,
} from 'undici'
import { AddressForbidden } from './address-forbidden.ts'

/** Proxies whose connections are kept; the one unused for longest is closed when more are in use. */
const PROXIES_MAX = 64
/** Longer than most upstreams keep a connection is useless; they close it first. */
const KEEP_ALIVE_MS = 30_000

/** Connections to upstreams, one pool per origin (and per proxy), opened as needed and kept alive. */
export interface Dispatchers {
  /** '' = no proxy. Throws a TypeError that names the problem when the proxy's address cannot be used. */
  through(proxy: string): Dispatcher
  close(): Promise<void>
}

/** Keeps channels out of where they must not lead. */
export interface AddressGuard {
  /** Tells it from the other guards that may be in force. */
  readonly name: string
  /** Whether a connection to an IP address (as text) may be made. */
  mayReach(ip: string): boolean
  /** Whether a proxy may be asked for a host of this name, which the proxy resolves. */
  mayName(host: string): boolean
  /** Makes connections to addresses that may be reached only; fails with AddressForbidden. */
  readonly connector: buildConnector.connector
}

/**
 * `connectMs` bounds the making of a connection, TLS included. `guard` answers the guard in force, null for none;
 * connections made under another guard are not used under it.
 */
export function makeDispatchers(
  connectMs: number,
  guard: () => AddressGuard | null = () => null,
): Dispatchers {
  const options = { connect: { timeout: connectMs }, keepAliveTimeout: KEEP_ALIVE_MS }
  /** As many as there are guards: a few. */
  const agents = new Map<string, Agent>()
  const closing = new Set<Promise<void>>()
  const proxies = new LRUCache<string, Dispatcher>({
    max: PROXIES_MAX,
    dispose: (dispatcher) => {
      const done = dispatcher.close().finally(() => closing.delete(done))
      closing.add(done)
    },
  })
  const direct = (guardNow: AddressGuard | null): Agent => {
    const name = guardNow?.name ?? ''
    const known = agents.get(name)
    if (known !== undefined) return known
    const made = new Agent({ ...options, ...(guardNow && { connect: guardNow.connector }) })
    agents.set(name, made)
    return made
  }
  const proxyAt = (proxy: string, guardNow: AddressGuard | null): Dispatcher => {
    const name = guardNow === null ? proxy : `${guardNow.name} ${proxy}`
    const known = proxies.get(name)
    if (known !== undefined) return known
    const made = proxyDispatcher(proxy, options, guardNow)
    proxies.set(name, made)
    return made
  }
  return {
    through(proxy) {
      const guardNow = guard()
      if (proxy === '') return direct(guardNow)
      const dispatcher = proxyAt(proxy, guardNow)
      return guardNow === null ? dispatcher : dispatcher.compose(refusing(guardNow))
    },
    async close() {
      proxies.clear()
      await Promise.all([...[...agents.values()].map((agent) => agent.destroy()), ...closing])
    },
  }
}

/** A proxy resolves names itself: this can refuse only an address written as such, and the proxy's own loopback. */
const refusing =
  (guard: AddressGuard): Dispatcher.DispatcherComposeInterceptor =>
  (dispatch) =>
  (options, handler) => {
    const host = new URL(String(options.origin)).hostname.replace(/^\[|\]$/g, '')
    if (!mayAskFor(host, guard)) throw new AddressForbidden(host)
    return dispatch(options, handler)
  }

function mayAskFor(host: string, guard: AddressGuard): boolean {
  if (isIP(host) !== 0) return guard.mayReach(host)
  return guard.mayName(host) && (!LOOPBACK_NAME.test(host) || guard.mayReach('127.0.0.1'))
}

const LOOPBACK_NAME = /(^|\.)localhost\.?$/i

function proxyDispatcher(proxy: string, options: object, guard: AddressGuard | null): Dispatcher {
  const scheme = URL.canParse(proxy) ? new URL(proxy).protocol : ''
  if (scheme === 'http:' || scheme === 'https:') {
    const through = guard === null ? {} : { clientFactory: guardedPool(guard) }
    return new ProxyAgent({ ...options, ...through, uri: proxy })
  }
  if (scheme === 'socks5:') {
    return guard === null
      ? new Socks5ProxyAgent(proxy)
      : new Socks5ProxyAgent(proxy, { connect: guard.connector })
  }
  throw new TypeError('the proxy of this channel must be an http, https or socks5 address')
}

/** A proxy inside would lead wherever it likes: it is guarded as the channel's own address is. */
const guardedPool =
  ({ connector }: AddressGuard) =>
  (origin: URL, options: object): Dispatcher =>
    new Pool(origin, { ...options, connect: connector })
