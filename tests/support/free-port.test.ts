import { once } from 'node:events'
import { createServer } from 'node:net'
import { expect, test } from 'vitest'
import { freePort } from './free-port.ts'

test('given many questions at once, when answered, then no port is given twice or is for connections', async () => {
  const ports = await Promise.all(Array.from({ length: 50 }, freePort))
  expect(new Set(ports).size).toBe(50)
  expect(Math.max(...ports)).toBeLessThan(32_768)
})

test('given a port that is taken, when its turn comes, then the next free one is given', async () => {
  const turn = await freePort()
  const taken = createServer().listen(turn + 1, '127.0.0.1')
  // Another program may have it already, which is as good.
  await once(taken, 'listening').catch(() => undefined)
  expect(await freePort()).toBeGreaterThan(turn + 1)
  taken.close()
})
