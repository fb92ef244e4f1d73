import { type NatsServer, startNatsServer } from '@tollgate/tests/support/engines/nats-server.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openLink } from '@tollgate/tests/support/bus-under-test.ts'
import type { NatsLink } from './connection.ts'
import { replySchema } from './reply.ts'
import { serve } from './rpc-server.ts'
import { decode } from './messages.ts'

const MAX_PAYLOAD = 16_384
let server: NatsServer
let link: NatsLink

beforeAll(async () => {
  server = await startNatsServer({ config: `max_payload: ${MAX_PAYLOAD}` })
  link = await openLink(server.url)
})
afterAll(async () => {
  await link.close()
  await server.dispose()
})

test('given answers or errors beyond NATS’s limit, when asked, then that fails and others are answered', async () => {
  const long = 'x'.repeat(MAX_PAYLOAD + 1)
  const answer = async (data: Uint8Array) => {
    const asked = new TextDecoder().decode(data)
    if (asked === 'long error') throw new Error(long)
    return { status: 'answered', answer: asked === 'long' ? long : asked } as const
  }
  const serving = serve({ link, subject: 'large', max: 10, answer })
  const ask = async (text: string) => {
    const { data } = await link.client.request('large', text, { timeout: 5_000 })
    return decode(replySchema, data)
  }
  const tooLarge = {
    status: 'failed',
    code: 'MAX_PAYLOAD_EXCEEDED',
    retryable: false,
    outcome: 'unknown',
  }
  expect(await ask('long')).toMatchObject(tooLarge)
  expect(await ask('long error')).toMatchObject(tooLarge)
  expect(await ask('short')).toEqual({ status: 'answered', answer: 'short' })
  await serving.stop()
})
