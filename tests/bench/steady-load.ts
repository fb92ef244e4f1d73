import { setTimeout as sleep } from 'node:timers/promises'
import { Pool } from 'undici'
import { SMALL_CHAT, type Target } from './http-load.ts'

/** Requests under way at a time: a machine that cannot carry the rate is asked for less, instead of ever more. */
const UNDER_WAY_MAX = 512
const CONNECTIONS_PER_RELAY = 128
/**
 * Requests that a slow machine has not been asked by this much of the planned time are left out: the bench has to end.
 */
const OVERTIME = 2

/** One request that was served. */
export interface Served {
  readonly id: string
  /** When its last byte was read, as `performance.now()` tells. */
  readonly finishedAt: number
}

export interface LoadReport {
  readonly served: readonly Served[]
  /** Answers other than 200. */
  readonly refused: number
  /** Served a second. */
  readonly rate: number
}

/**
 * Asks each target in turn for a small chat, at an even rate whether or not earlier ones are answered; for twice
 * the planned time at most.
 */
export async function steadyLoad(
  targets: readonly Target[],
  load: { readonly perSecond: number; readonly requests: number },
): Promise<LoadReport> {
  const pools = new Map(
    targets.map(({ url }) => [url, new Pool(url, { connections: CONNECTIONS_PER_RELAY })]),
  )
  const served: Served[] = []
  const running = new Set<Promise<void>>()
  let refused = 0
  const one = async ({ url, key }: Target): Promise<void> => {
    const answer = await pools.get(url)?.request(chatRequest(key))
    await answer?.body.arrayBuffer()
    const id = answer?.headers['x-oneapi-request-id']
    if (answer?.statusCode !== 200 || typeof id !== 'string') refused += 1
    else served.push({ id, finishedAt: performance.now() })
  }
  const startedAt = performance.now()
  const endsAt = startedAt + (OVERTIME * load.requests * 1000) / load.perSecond
  for (let sent = 0; sent < load.requests && performance.now() < endsAt; sent += 1) {
    const early = startedAt + (sent * 1000) / load.perSecond - performance.now()
    // Timers count whole milliseconds; what is due within one is sent now.
    if (early > 1) await sleep(early)
    while (running.size >= UNDER_WAY_MAX) await Promise.race(running)
    const target = targets[sent % targets.length]
    if (target === undefined) throw new Error('there is nobody to ask')
    const asking = one(target).finally(() => running.delete(asking))
    running.add(asking)
  }
  await Promise.all(running)
  const seconds = (performance.now() - startedAt) / 1000
  await Promise.all([...pools.values()].map((pool) => pool.close()))
  return { served, refused, rate: served.length / seconds }
}

const chatRequest = (key: string) => ({
  method: 'POST' as const,
  path: '/v1/chat/completions',
  headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
  body: SMALL_CHAT,
})
