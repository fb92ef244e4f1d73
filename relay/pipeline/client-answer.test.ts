import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, test } from 'vitest'
import { ClientAnswer } from './client-answer.ts'

const EVERY_BYTE = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte))

test('given bodies of every byte and size, when sent, then they arrive unchanged with their length', async () => {
  const bodies: readonly (Buffer | string)[] = [
    Buffer.alloc(0),
    EVERY_BYTE,
    Buffer.concat(Array.from({ length: 32 }, () => EVERY_BYTE)),
    Buffer.concat(Array.from({ length: 1_000 }, () => EVERY_BYTE)),
    'Grüße an 世界',
  ]
  let next = 0
  const server = createServer((_request, response) => {
    const answer = new ClientAnswer(response, { 'x-request-id': 'r1' }, 10_000)
    answer.send(201, 'application/octet-stream', bodies[next++] ?? '', { 'x-more': 'yes' })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  try {
    for (const body of bodies) {
      const answer = await fetch(`http://127.0.0.1:${port}/`)
      const bytes = Buffer.from(body)
      expect(Buffer.from(await answer.arrayBuffer()).equals(bytes)).toBe(true)
      expect(answer.status).toBe(201)
      expect(Object.fromEntries(answer.headers)).toMatchObject({
        'content-length': String(bytes.length),
        'content-type': 'application/octet-stream',
        'x-more': 'yes',
        'x-request-id': 'r1',
      })
    }
  } finally {
    server.close()
    server.closeAllConnections()
  }
})
