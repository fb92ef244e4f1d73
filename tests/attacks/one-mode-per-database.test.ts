import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { once } from 'node:events'
import { urlOfRunningPostgres } from '@tollgate/infra/postgres/embedded.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestDatabase } from '../support/engines/database.ts'
import { type NatsServer, startNatsServer } from '../support/engines/nats-server.ts'
import { type SingleProduct, startSingleProduct } from '../support/product.ts'
import { freePort } from '../support/free-port.ts'
import { type Root, TollgateProcess } from '../support/tollgate-process.ts'

/**
 * Two Tollgates that know nothing of each other on one database would each grant quota and charge on their own: whoever
 * comes second is refused with words that say what to do, whatever kind of process it is.
 */
let product: SingleProduct
let nats: NatsServer
let home: string

beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), 'tollgate-modes-'))
  nats = await startNatsServer()
  product = await startSingleProduct()
})
afterAll(async () => {
  await product.dispose()
  await nats.dispose()
  rmSync(home, { recursive: true, force: true })
})

/** Starts a process that must not come up; answers what it printed and its exit code. */
async function refused(root: Root, env: Readonly<Record<string, string>>) {
  const process = new TollgateProcess(root, await freePort(), {
    DATA_DIR: join(home, root),
    ...env,
  })
  const child = process.launch()
  const [code] = (await once(child, 'exit', { signal: AbortSignal.timeout(60_000) })) as unknown[]
  return { code, printed: process.logs() }
}

test('given Tollgate on its embedded PostgreSQL, when another process starts on it, then it is refused', async () => {
  const DATABASE_URL = (await urlOfRunningPostgres(product.dataDir)) ?? ''
  const shared = {
    DATABASE_URL,
    NATS_URL: nats.url,
    MASTER_KEY: randomBytes(32).toString('base64'),
  }
  const roots = ['all-in-one', 'api', 'relay', 'projector'] as const
  const [alone, ...sharing] = await Promise.all([
    refused('all-in-one', { DATABASE_URL }),
    ...roots.map((root) => refused(root, shared)),
  ])
  expect(alone).toMatchObject({
    code: 1,
    printed: expect.stringContaining(
      'Another Tollgate works on this database, and this one has no NATS_URL',
    ),
  })
  for (const each of sharing) {
    expect(each).toMatchObject({
      code: 1,
      printed: expect.stringContaining('A Tollgate without NATS works on this database'),
    })
  }
  expect((await fetch(`${product.url}/readyz`)).status).toBe(200)
}, 180_000)

test('given Tollgate that was killed, when it starts again, then nothing of the run before holds it up', async () => {
  await product.kill('everything')
  const printed = product.logs().length
  await product.start()
  expect(product.logs().slice(printed)).not.toContain('in use by another Tollgate')
}, 180_000)

test('given processes that share a database over NATS, when one without starts, then it is refused', async () => {
  const cluster = await createTestDatabase()
  const shared = {
    DATABASE_URL: cluster.url,
    NATS_URL: nats.url,
    MASTER_KEY: randomBytes(32).toString('base64'),
  }
  const env = { DATA_DIR: join(home, 'projector-of-several'), ...shared }
  const projector = new TollgateProcess('projector', await freePort(), env)
  await projector.start()
  try {
    expect(await refused('all-in-one', { DATABASE_URL: cluster.url })).toMatchObject({
      code: 1,
      printed: expect.stringContaining('set the same NATS_URL and MASTER_KEY for all of them'),
    })
  } finally {
    await projector.terminate()
    await cluster.drop()
  }
}, 180_000)
