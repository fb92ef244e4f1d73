import { afterAll, beforeAll, expect, test } from 'vitest'
import type { ConsoleClient } from '../support/console-client.ts'
import type { DistributedProduct } from '../support/distributed-product.ts'
import { expectBalancedBooks } from '../support/books.ts'
import { type Gateway, startDistributedGateway } from '../support/gateway.ts'
import { descendantsOf, isAlive, signal, until } from '../support/processes.ts'

/** A relay process with several workers on one port. */
let gateway: Gateway<DistributedProduct>
let user: ConsoleClient
let key = ''

beforeAll(async () => {
  gateway = await startDistributedGateway({
    models: ['gpt-4o-mini'],
    product: { env: { RELAY_WORKERS: '2' } },
  })
  user = await gateway.root.addUser('worker-user', 'long-enough-2', 100_000_000)
  key = (await user.createToken({ name: 'main' })).key
})
afterAll(() => gateway.stop())

const ask = () =>
  gateway
    .openai(key)
    .chat.completions.create({ model: 'gpt-4o-mini', messages: [{ role: 'user', content: 'Hi' }] })

test('given two workers, when one is killed, then the port goes on serving and it is started again', async () => {
  await Promise.all(Array.from({ length: 20 }, ask))
  const [relay] = gateway.product.processes('relay')
  if (relay === undefined) throw new Error('there is no relay')
  const workers = descendantsOf(relay.pid())
  expect(workers).toHaveLength(2)
  const [killed = 0] = workers
  signal(killed, 'SIGKILL')
  await until('it is gone', () => !isAlive(killed))
  for (let i = 0; i < 10; i += 1) await ask()
  await until('there are two again', () => descendantsOf(relay.pid()).length === 2)
  await expectBalancedBooks(gateway.product, gateway.root, [user])
})

test('given workers, when their process is stopped, then all of them end in good order', async () => {
  const [relay] = gateway.product.processes('relay')
  if (relay === undefined) throw new Error('there is no relay')
  const workers = descendantsOf(relay.pid())
  expect(await relay.terminate()).toBe(0)
  expect(workers.filter(isAlive)).toEqual([])
})
