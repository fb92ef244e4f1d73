import OpenAI from 'openai'
import type { StandInOptions, StandInUpstream } from '@tollgate/infra/demo/stand-in-upstream.ts'
import { startStandInUpstream } from '@tollgate/infra/demo/stand-in-upstream.ts'
import { ConsoleClient } from './console-client.ts'
import { type DistributedProduct, startDistributedProduct } from './distributed-product.ts'
import type { Product, ProductOptions } from './product-kinds.ts'
import type { SingleProduct } from './product.ts'
import { startProduct, startSingleProduct } from './product.ts'

/** A Tollgate that has been set up and has a provider behind it: where every end-to-end test begins. */
export interface Gateway<Kind extends Product = Product> {
  readonly product: Kind
  readonly upstream: StandInUpstream
  /** Signed in as the first administrator. */
  readonly root: ConsoleClient
  /** The official SDK, pointed at the relays in turn with a token's key, without retries of its own. */
  openai(key: string): OpenAI
  /** A request to the relays in turn; `path` begins with `/v1`. */
  relay(path: string, init?: RequestInit): Promise<Response>
  stop(): Promise<void>
}

export const ROOT = { username: 'root', password: 'long-enough-1' } as const

/** Key of the channel that `startGateway` adds. */
export const STEADY_KEY = 'sk-steady'

export interface GatewayOptions {
  readonly models: readonly string[]
  readonly upstream?: StandInOptions
  readonly product?: ProductOptions
}

/** Starts product and stand-in, runs the setup, signs in and adds a channel `steady` for the models named. */
export const startGateway = (options: GatewayOptions): Promise<Gateway> =>
  gatewayOf(startProduct, options)

/** The same with everything in one process, for tests that end it and start it again. */
export const startSingleGateway = (
  options: GatewayOptions,
  dataDir?: string,
): Promise<Gateway<SingleProduct>> =>
  gatewayOf((product) => startSingleProduct(product, dataDir), options)

/** The same with several processes, for tests that take engines and processes away. */
export const startDistributedGateway = (
  options: GatewayOptions,
): Promise<Gateway<DistributedProduct>> => gatewayOf(startDistributedProduct, options)

async function gatewayOf<Kind extends Product>(
  start: (options?: ProductOptions) => Promise<Kind>,
  options: GatewayOptions,
): Promise<Gateway<Kind>> {
  const upstream = await startStandInUpstream(options.upstream)
  const product = await start(options.product)
  const stop = async (): Promise<void> => {
    await product.dispose()
    await upstream.stop()
  }
  try {
    const root = await setUp(product.url, upstream.url, options.models)
    const relay = inTurn(product.relayUrls)
    return { product, upstream, root, stop, relay, openai: (key) => clientFor(relay, key) }
  } catch (error) {
    await stop()
    throw error
  }
}

async function setUp(
  url: string,
  upstreamUrl: string,
  models: readonly string[],
): Promise<ConsoleClient> {
  const root = new ConsoleClient(url)
  await root.setUp(ROOT.username, ROOT.password)
  await root.logIn(ROOT.username, ROOT.password)
  await root.addChannel({
    name: 'steady',
    key: STEADY_KEY,
    base_url: upstreamUrl,
    models: models.join(','),
  })
  return root
}

/** Sends each request to the next relay. */
function inTurn(urls: readonly string[]): Gateway['relay'] {
  let next = 0
  return (path, init) => fetch(`${urls[next++ % urls.length]}${path}`, init)
}

const clientFor = (relay: Gateway['relay'], key: string): OpenAI =>
  new OpenAI({
    baseURL: 'http://relays/v1',
    apiKey: `sk-${key}`,
    maxRetries: 0,
    fetch: (url, init) => {
      const { pathname, search } = new URL(String(url instanceof Request ? url.url : url))
      return relay(pathname + search, init)
    },
  })
