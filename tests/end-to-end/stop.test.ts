import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { expectBalancedBooks } from '../support/books.ts'
import type { ConsoleClient } from '../support/console-client.ts'
import { type Gateway, ROOT, startSingleGateway } from '../support/gateway.ts'
import type { SingleProduct } from '../support/product.ts'
import { descendantsOf, isAlive, until } from '../support/processes.ts'

/** SIGTERM while a stream runs: it is ended and charged, everything is closed, and the next start finds nothing left. */
let gateway: Gateway<SingleProduct>
let user: ConsoleClient
let key: string

const MODEL = 'gpt-4o-mini'

beforeAll(async () => {
  gateway = await startSingleGateway({ models: [MODEL] })
  gateway.upstream.behave('sk-steady', 'stalled')
  user = await gateway.root.addUser('stopping', 'long-enough-2', 50_000_000)
  key = (await user.createToken({ name: 'stopping' })).key
})
afterAll(() => gateway.stop())

test('given a stream that does not end, when the process gets SIGTERM, then the delivered part is charged once and nothing stays behind', async () => {
  const { product } = gateway
  const running = await ask()
  expect(running.status).toBe(200)
  const reader = running.body?.pipeThrough(new TextDecoderStream()).getReader()
  if (reader === undefined) throw new Error('the stream has no body')
  let text = (await reader.read()).value ?? ''
  const started = descendantsOf(product.pid())
  expect(started.length).toBeGreaterThan(0)

  const ended = product.terminate()
  await until('the product says that it stops', async () => {
    const answer = await fetch(`${product.url}/readyz`)
    return answer.status === 503 && (await answer.text()).includes('stopping')
  })
  const late = await ask()
  expect(late.status).toBe(503)
  expect(late.headers.get('retry-after')).not.toBeNull()
  await late.text()
  const readOn = async (): Promise<void> => {
    for (let part = await reader.read(); !part.done; part = await reader.read()) text += part.value
  }
  await expect(readOn()).rejects.toThrow('terminated')
  expect(text).toContain('server_stopping')
  expect(text).not.toContain('[DONE]')
  expect(await ended).toBe(0)
  expect(started.filter(isAlive)).toEqual([])

  const printed = product.logs().length
  await product.start()
  expect(product.logs().slice(printed)).not.toContain('former run')
  const charges = await product.query(
    "select data::jsonb->'request'->>'id' as id from ledger.events where type = 'UsageCharged'",
  )
  expect(z.array(z.object({ id: z.string() })).parse(charges)).toEqual([
    { id: running.headers.get('x-oneapi-request-id') },
  ])
  expect(await product.query('select hold from balances.holds')).toEqual([])
  await expectBalancedBooks(product, gateway.root, [user])
})

test('given a test of all channels that upstream does not answer, when the process gets SIGTERM, then the test is given up and nothing recorded of it', async () => {
  const { product, root, upstream } = gateway
  await root.logIn(ROOT.username, ROOT.password)
  upstream.forget()
  upstream.behave('sk-steady', 'silent')
  expect(await root.send('GET', '/api/channel/test')).toMatchObject({ success: true })
  await until('upstream is asked', () => upstream.requests.length > 0)
  // A process that takes longer than it may ends with another code, and upstream has longer to answer than that.
  expect(await product.terminate()).toBe(0)
  await product.start()
  const tested = await product.query("select 1 from ledger.events where type = 'ChannelTested'")
  expect(tested).toEqual([])
})

const ask = (): Promise<Response> =>
  fetch(`${gateway.product.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer sk-${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      model: MODEL,
      stream: true,
      messages: [{ role: 'user', content: 'hello' }],
    }),
  })
