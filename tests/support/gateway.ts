import OpenAI from 'openai'
import type { StandInOptions, StandInUpstream } from '@tollgate/infra/demo/stand-in-upstream.ts'
import { startStandInUpstream } from '@tollgate/infra/demo/stand-in-upstream.ts'
import { ConsoleClient } from './console-client.ts'
import type { Product, ProductOptions } from './product.ts'
import { startProduct } from './product.ts'

/** A Tollgate that has been set up and has a provider behind it: where every end-to-end test begins. */
export interface Gateway {
  readonly product: Product
  readonly upstream: StandInUpstream
  /** Signed in as the first administrator. */
  readonly root: ConsoleClient
  /** The official SDK, pointed at the relay with a token's key, without retries of its own. */
  openai(key: string): OpenAI
  stop(): Promise<void>
}

export const ROOT = { username: 'root', password: 'long-enough-1' } as const

/** Key of the channel that `startGateway` adds. */
const STEADY_KEY = 'sk-steady'

/** Starts product and stand-in, runs the setup, signs in and adds a channel `steady` for the models named. */
export async function startGateway(options: {
  readonly models: readonly string[]
  readonly upstream?: StandInOptions
  readonly product?: ProductOptions
}): Promise<Gateway> {
  const upstream = await startStandInUpstream(options.upstream)
  const product = await startProduct(options.product)
  const stop = async (): Promise<void> => {
    await product.dispose()
    await upstream.stop()
  }
  try {
    const root = await setUp(product.url, upstream.url, options.models)
    return { product, upstream, root, stop, openai: (key) => clientFor(product.url, key) }
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

const clientFor = (url: string, key: string): OpenAI =>
  new OpenAI({ baseURL: `${url}/v1`, apiKey: `sk-${key}`, maxRetries: 0 })
