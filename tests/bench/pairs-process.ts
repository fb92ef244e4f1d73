import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import process from 'node:process'
import { startRelay } from '../support/relay/relay-under-test.ts'
import { PROVIDERS, type ServingTime } from './pairs.ts'

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

const delay = monitorEventLoopDelay({ resolution: 1 })
let before = process.threadCpuUsage()
const server = createServer((_request, response) => {
  const { user, system } = process.threadCpuUsage(before)
  const time: ServingTime = {
    cpuMicroseconds: user + system,
    delayMs: delay.percentile(99.9) / 1e6,
    failures: relay.failures.length,
  }
  response.end(JSON.stringify(time))
  delay.reset()
  delay.enable()
  before = process.threadCpuUsage()
})
server.listen(0, '127.0.0.1')
await once(server, 'listening')
const control = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
process.stdout.write(`${relay.url} ${control}\n`)
