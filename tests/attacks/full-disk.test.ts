import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Gateway, startSingleGateway } from '../support/gateway.ts'
import { until } from '../support/processes.ts'
import type { SingleProduct } from '../support/product.ts'

/** A disk that is full answers reads and small writes in place for a while; readiness must say what appends say. */
let gateway: Gateway<SingleProduct>

beforeAll(async () => {
  gateway = await startSingleGateway({ models: ['gpt-4o-mini'] })
})
afterAll(() => gateway.stop())

const readyz = async (): Promise<string> => {
  const answer = await fetch(`${gateway.product.url}/readyz`)
  return `${answer.status} ${await answer.text()}`
}

test('given a disk that takes no more events, when requests come, then readiness says so until it takes them again', async () => {
  const { product, root } = gateway
  const user = await root.addUser('full', 'long-enough-2', 50_000_000)
  const { key } = await user.createToken({ name: 'full' })
  await product.query(`create function pg_temp_full() returns trigger language plpgsql as $$
    begin raise exception 'could not extend file: No space left on device' using errcode = '53100'; end $$`)
  await product.query(
    'create trigger disk_is_full before insert on ledger.events for each statement execute function pg_temp_full()',
  )
  const request = gateway.relay('/v1/chat/completions', {
    method: 'POST',
    headers: { authorization: `Bearer sk-${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'gpt-4o-mini', messages: [{ role: 'user', content: 'Hello' }] }),
  })
  await until('it is not ready', async () => (await readyz()).startsWith('503'), 30_000)
  expect(await readyz()).toContain('the event log takes no writes')
  await product.query('drop trigger disk_is_full on ledger.events')
  await until('it is ready again', async () => (await readyz()).startsWith('200'), 30_000)
  await (await request).text()
}, 120_000)
