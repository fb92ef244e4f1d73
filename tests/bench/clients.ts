import { ConsoleClient } from '../support/console-client.ts'
import type { Product } from '../support/product-kinds.ts'

/** An account that the bench cannot empty, and the key of its token. */
export interface BenchAccount {
  readonly account: number
  readonly key: string
}

/** Sets a product up with one channel and some accounts; user ids follow each other, so each is of another partition. */
export async function openClients(
  product: Product,
  upstreamUrl: string,
  count: number,
): Promise<readonly BenchAccount[]> {
  const root = new ConsoleClient(product.url)
  await root.setUp('root', 'long-enough-1')
  await root.logIn('root', 'long-enough-1')
  const models = 'gpt-4o-mini,gpt-4o'
  await root.addChannel({ name: 'bench', key: 'sk-bench', base_url: upstreamUrl, models })
  const accounts: BenchAccount[] = []
  while (accounts.length < count) {
    const user = await root.addUser(`bench${accounts.length}`, 'long-enough-2', 1_000_000_000_000)
    const { key } = await user.createToken({ name: 'bench' })
    accounts.push({ account: user.userId, key: `sk-${key}` })
  }
  return accounts
}
