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
  /** '' = no proxy. Throws a TypeError that names what is wrong when the proxy's address cannot be used. */
  through(proxy: string): Dispatcher
  close(): Promise<void>
}

/** Keeps channels out of the operator's own network, where the operator wants that. */
export interface AddressGuard {
  isOn(): boolean
  /** Whether a connection to an IP address (as text) may be made. */
  mayReach(ip: string): boolean
  /** Makes connections to addresses that may be reached only; fails with AddressForbidden. */
  readonly connector: buildConnector.connector
}

/**
 * `connectMs` bounds the making of a connection, TLS included. What was connected before the guard was switched on is
 * not used while it is.
 */
export function makeDispatchers(connectMs: number, guard: AddressGuard | null = null): Dispatchers {
  const options = { connect: { timeout: connectMs }, keepAliveTimeout: KEEP_ALIVE_MS }
  const open = new Agent(options)
  const guarded = guard === null ? open : new Agent({ ...options, connect: guard.connector })
  const closing = new Set<Promise<void>>()
  const proxies = new LRUCache<string, Dispatcher>({
    max: PROXIES_MAX,
    dispose: (dispatcher) => {
      const done = dispatcher.close().finally(() => closing.delete(done))
      closing.add(done)
    },
  })
  const proxyAt = (proxy: string, guardNow: AddressGuard | null): Dispatcher => {
    const name = guardNow === null ? proxy : `guarded ${proxy}`
    const known = proxies.get(name)
    if (known !== undefined) return known
    const made = proxyDispatcher(proxy, options, guardNow)
    proxies.set(name, made)
    return made
  }
  return {
    through(proxy) {
      const guardNow = guard?.isOn() === true ? guard : null
      if (proxy === '') return guardNow === null ? open : guarded
      const dispatcher = proxyAt(proxy, guardNow)
      return guardNow === null ? dispatcher : dispatcher.compose(refusing(guardNow))
    },
    async close() {
      proxies.clear()
      await Promise.all([
        ...[...new Set([open, guarded])].map((agent) => agent.destroy()),
        ...closing,
      ])
    },
  }
}

/** A proxy resolves names itself: what can be told here is an address written as such, and the proxy's own loopback. */
const refusing =
  (guard: AddressGuard): Dispatcher.DispatcherComposeInterceptor =>
  (dispatch) =>
  (options, handler) => {
    const host = new URL(String(options.origin)).hostname.replace(/^\[|\]$/g, '')
    const isForbidden = isIP(host) === 0 ? LOOPBACK_NAME.test(host) : !guard.mayReach(host)
    if (isForbidden) throw new AddressForbidden(host)
    return dispatch(options, handler)
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
