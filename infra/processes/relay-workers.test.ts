import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'

const MODULE = new URL('./relay-workers.ts', import.meta.url).href
/**
 * The first worker listens and, told to end, has something under way until the second has ended, which never listens.
 * Says how many are left when the start has failed.
 */
const PROGRAM = `
import cluster from 'node:cluster'
import { createServer } from 'node:net'
import { startRelayWorkers } from '${MODULE}'
if (cluster.isPrimary) {
  const stopping = new AbortController()
  let left = 2
  cluster.on('exit', () => {
    left -= 1
    setImmediate(() => Object.values(cluster.workers).forEach((worker) => worker.send('done')))
  })
  cluster.on('listening', () => stopping.abort())
  const world = { stopping: stopping.signal }
  await startRelayWorkers({ relayWorkers: 2 }, world).catch(({ code }) => {
    process.stdout.write(code + ', left: ' + left)
    process.exit(0)
  })
} else if (cluster.worker.id === 1) {
  process.on('SIGTERM', () => undefined)
  process.on('message', () => process.exit(0))
  createServer().listen(0, '127.0.0.1')
}
`

let folder = ''
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'tollgate-relay-workers-'))
})
afterAll(() => rmSync(folder, { recursive: true }))

test('given workers of which one listens, when told to stop early, then each may end what is under way', async () => {
  const program = join(folder, 'program.mjs')
  writeFileSync(program, PROGRAM)
  const child = spawn(process.execPath, [program], { stdio: ['ignore', 'pipe', 'inherit'] })
  let printed = ''
  child.stdout.setEncoding('utf8').on('data', (part: string) => (printed += part))
  expect(await once(child, 'close')).toEqual([0, null])
  expect(printed).toBe('WORKER_ENDED, left: 0')
})
