import { LRUCache } from 'lru-cache'
import { Agent, type Dispatcher, ProxyAgent, Socks5ProxyAgent } from 'undici'

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

/** `connectMs` bounds the making of a connection, TLS included. */
export function makeDispatchers(connectMs: number): Dispatchers {
  const options = { connect: { timeout: connectMs }, keepAliveTimeout: KEEP_ALIVE_MS }
  const direct = new Agent(options)
  const closing = new Set<Promise<void>>()
  const proxies = new LRUCache<string, Dispatcher>({
    max: PROXIES_MAX,
    dispose: (dispatcher) => {
      const done = dispatcher.close().finally(() => closing.delete(done))
      closing.add(done)
    },
  })
  return {
    through(proxy) {
      if (proxy === '') return direct
      const known = proxies.get(proxy)
      if (known !== undefined) return known
      const made = proxyDispatcher(proxy, options)
      proxies.set(proxy, made)
      return made
    },
    async close() {
      proxies.clear()
      await Promise.all([direct.destroy(), ...closing])
    },
  }
}

function proxyDispatcher(proxy: string, options: object): Dispatcher {
  const scheme = URL.canParse(proxy) ? new URL(proxy).protocol : ''
  if (scheme === 'http:' || scheme === 'https:') return new ProxyAgent({ ...options, uri: proxy })
  if (scheme === 'socks5:') return new Socks5ProxyAgent(proxy)
  throw new TypeError('the proxy of this channel must be an http, https or socks5 address')
}
