import type { StandInOptions } from '@tollgate/infra/demo/stand-in-upstream.ts'
import { urlOfRunningPostgres } from '@tollgate/infra/postgres/embedded.ts'
import { Client } from 'pg'
import { z } from 'zod'
import type { ConsoleClient } from './console-client.ts'
import type { Gateway } from './gateway.ts'
import { until } from './processes.ts'
import type { SingleProduct } from './product.ts'
import type { Product } from './product-kinds.ts'

/** Requests whose answers come when a test says so: what the ledger does at that moment decides where charges go. */
export const MODEL = 'gpt-4o-mini'
export const REQUESTS = 6

/** An upstream that keeps all answers back until it is opened. */
export interface GatedUpstream {
  readonly upstream: StandInOptions
  readonly open: () => void
  /** Keeps back the answers to what comes from now on. */
  readonly shut: () => void
}

export function gatedUpstream(): GatedUpstream {
  let gate = Promise.withResolvers<undefined>()
  return {
    upstream: { latency: () => ({ firstByteMs: 1, perTokenMs: 0 }), wait: () => gate.promise },
    open: () => gate.resolve(undefined),
    shut: () => (gate = Promise.withResolvers<undefined>()),
  }
}

/** Lets six requests of a new user come as far as upstream, each with quota reserved. */
export async function startRequests(
  gateway: Gateway,
  username = 'promised',
): Promise<{ readonly user: ConsoleClient; readonly answers: readonly Promise<string>[] }> {
  const { root, upstream } = gateway
  const user = await root.addUser(username, 'long-enough-2', 50_000_000)
  const { key } = await user.createToken({ name: username })
  upstream.forget()
  const early: string[] = []
  const answers = Array.from({ length: REQUESTS }, () =>
    gateway
      .relay('/v1/chat/completions', {
        method: 'POST',
        headers: { authorization: `Bearer sk-${key}`, 'content-type': 'application/json' },
        body: JSON.stringify({ model: MODEL, messages: [{ role: 'user', content: 'Hello' }] }),
      })
      .then(
        async (answer) => `${answer.status} ${await answer.text()}`,
        () => 'the connection was cut',
      )
      .then((answer) => {
        early.push(answer)
        return answer
      }),
  )
  await until(
    'all requests are at upstream',
    () => {
      if (early.length > 0) throw new Error(`a request ended before: ${early.join(' | ')}`)
      return upstream.requests.length === REQUESTS
    },
    30_000,
  )
  return { user, answers }
}

/** No append is possible until it is let go: the row that every append needs is locked. */
export async function blockLedger({
  dataDir,
}: Pick<SingleProduct, 'dataDir'>): Promise<() => Promise<void>> {
  const client = new Client({ connectionString: (await urlOfRunningPostgres(dataDir)) ?? '' })
  // Stopping Tollgate ends the embedded server under it.
  client.on('error', () => undefined)
  await client.connect()
  await client.query('begin')
  await client.query('select position from ledger.head for update')
  return () => client.end().catch(() => undefined)
}

/** How many charges the ledger has. */
export const chargesIn = async (product: Product): Promise<number> =>
  z
    .array(z.object({ count: z.coerce.number() }))
    .parse(await product.query("select count(*) from ledger.events where type = 'UsageCharged'"))[0]
    ?.count ?? 0
