import process from 'node:process'
import { startRelay } from '../support/relay/relay-under-test.ts'
import { PROVIDERS } from './pairs.ts'
import { tellServingTime } from './serving-time.ts'

/**
 * The relay with a channel for each provider, holds aside, in a process of its own: `node pairs-process.ts <upstream
 * url>`. Prints its URL and another, which answers a ServingTime since it was asked last.
 */
const upstreamUrl = process.argv[2]
if (upstreamUrl === undefined) throw new Error('usage: pairs-process.ts <upstream url>')

const relay = await startRelay({ idleMs: 60_000, firstByteMs: 60_000 })
relay.holds.available = Number.MAX_SAFE_INTEGER
const models = Object.values(PROVIDERS)
const ratios = Object.fromEntries(models.map(({ model }) => [model, 1]))
relay.directory.set({ ModelRatio: JSON.stringify(ratios) })
for (const [at, { type, model }] of models.entries()) {
  relay.directory.add(at + 1, { type, models: [model], baseUrl: upstreamUrl })
}

process.stdout.write(`${relay.url} ${await tellServingTime(() => relay.failures.length)}\n`)
