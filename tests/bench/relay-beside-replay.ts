import { setTimeout as after } from 'node:timers/promises'
import { z } from 'zod'
import type { ConsoleClient } from '../support/console-client.ts'
import { startSingleProduct } from '../support/product.ts'
import { serve } from './child-process.ts'
import { type Figure, fraction, whole } from './figures.ts'
import { latencies, throughput } from './http-load.ts'
import { percentile } from './percentiles.ts'
import { prepared } from './relay.ts'
import { scaled } from './scale.ts'

/** How long charges are made for replays to read, at full load. */
const FILL_SECONDS = 15
const RATE = { perSecond: 200, durationSeconds: 15 } as const
const WORST = 1.5
const LOOK_EVERY_MS = 50

/**
 * The relay's latency under a bounded load, alone and beside replays that follow one another in the worker of the same
 * process, over the charges of a full load before.
 */
export async function relayBesideReplayFigures(say: (line: string) => void): Promise<Figure[]> {
  const upstream = await serve('stand-in-process.ts')
  const product = await startSingleProduct({ env: { LOG_LEVEL: 'warn' } })
  try {
    const { root, target } = await prepared(product, upstream.url)
    say('books: charges for replays beside the relay')
    await throughput(target, scaled(FILL_SECONDS))
    await latencies(target, { ...RATE, durationSeconds: 2 })
    const alone = percentile(await latencies(target, RATE), 99)
    say('books: replays beside the relay')
    const replaying = replayUntilStopped(root)
    const beside = percentile(await latencies(target, RATE), 99)
    const { replays, charges } = await replaying.stop()
    return [
      {
        what: `relay at ${RATE.perSecond} req/s beside ${whole(replays)} replays of ${whole(charges)} charges, p99`,
        measured: `${fraction(beside)} ms = ${fraction(beside / alone)} × alone (${fraction(alone)} ms)`,
        target: `≤ ${WORST} × alone`,
        isReached: beside <= WORST * alone,
      },
    ]
  } finally {
    await product.dispose()
    await upstream.stop()
  }
}

const told = z.object({ id: z.string(), status: z.string(), charges: z.number() })

/** Runs the same replay again and again, by every table. */
function replayUntilStopped(root: ConsoleClient) {
  const stopping = new AbortController()
  const run = async (): Promise<{ readonly replays: number; readonly charges: number }> => {
    const day = { from: Date.now() - 86_400_000, to: Date.now() + 86_400_000 }
    const by = ['user', 'group', 'token', 'model', 'channel', 'user+model']
    const body = { name: 'bench', ...day, prices: 'today', bucket: 'hour', by }
    const { id } = await root.ask('POST', '/api/replays', told, body)
    for (let replays = 1; ; replays += 1) {
      let found = await root.ask('GET', `/api/replays/${id}`, told)
      while (found.status === 'queued' || found.status === 'running') {
        await after(LOOK_EVERY_MS)
        found = await root.ask('GET', `/api/replays/${id}`, told)
      }
      if (found.status !== 'done') throw new Error(`the replay ended as ${found.status}`)
      if (stopping.signal.aborted) return { replays, charges: found.charges }
      await root.ask('POST', `/api/replays/${id}/rerun`, z.unknown())
    }
  }
  const running = run()
  return {
    stop: () => {
      stopping.abort()
      return running
    },
  }
}
