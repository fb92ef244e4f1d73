import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import process from 'node:process'
import type { ServingTime } from './pairs.ts'

/** Starts a server that answers a ServingTime since it was asked last; returns its URL. */
export async function tellServingTime(failures: () => number): Promise<string> {
  const delay = monitorEventLoopDelay({ resolution: 1 })
  let before = process.threadCpuUsage()
  const server = createServer((_request, response) => {
    const { user, system } = process.threadCpuUsage(before)
    const time: ServingTime = {
      cpuMicroseconds: user + system,
      delayMs: delay.percentile(99.9) / 1e6,
      failures: failures(),
    }
    response.end(JSON.stringify(time))
    delay.reset()
    delay.enable()
    before = process.threadCpuUsage()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}
