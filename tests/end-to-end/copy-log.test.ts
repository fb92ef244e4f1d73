import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  type EventStoreDbDouble,
  startEventStoreDbDouble,
} from '../support/engines/eventstoredb-double/double.ts'
import { ConsoleClient } from '../support/console-client.ts'
import { ROOT, startSingleGateway, type Gateway } from '../support/gateway.ts'
import { type SingleProduct, startSingleProduct } from '../support/product.ts'
import { until } from '../support/processes.ts'
import { runCommand } from '../support/run-command.ts'

/** A log that outgrows one machine: it moves to EventStoreDB and back, and the books go on. */
let gateway: Gateway<SingleProduct>
let double: EventStoreDbDouble
let product: SingleProduct
let key: string
const LEDGER_CLI = new URL('../../infra/processes/commands/ledger-cli.ts', import.meta.url)
const AUDIT_CLI = new URL('../../infra/processes/commands/audit-cli.ts', import.meta.url)

beforeAll(async () => {
  gateway = await startSingleGateway({ models: ['gpt-4o-mini'] })
  product = gateway.product
  double = await startEventStoreDbDouble()
  key = (await gateway.root.createToken({ name: 'moves' })).key
})
afterAll(async () => {
  if (product !== gateway.product) await product.terminate()
  await gateway.stop()
  await double.close()
})

const embedded = () => ({ DATA_DIR: gateway.product.dataDir, EVENTSTORE_URL: '' })
const inEventStoreDb = () => ({
  DATA_DIR: gateway.product.dataDir,
  EVENTSTORE_URL: double.connectionString,
})

async function ask(): Promise<void> {
  const answer = await fetch(`${product.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer sk-${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'gpt-4o-mini', messages: [{ role: 'user', content: 'hello' }] }),
  })
  expect(answer.status).toBe(200)
}

/** Root's spending and number of requests, once that many requests are visible. */
async function figures(requests: number) {
  const root = new ConsoleClient(product.url)
  await root.logIn(ROOT.username, ROOT.password)
  await until(`${requests} charges are visible`, async () => {
    const { request_count } = await root.self()
    return request_count === requests
  })
  const { quota, used_quota } = await root.self()
  return { quota, used_quota, rows: (await root.logs()).length }
}

async function expectSound(env: Record<string, string>): Promise<void> {
  for (const proof of ['verify', 'reconcile']) {
    expect(await runCommand(AUDIT_CLI, [proof], env)).toMatchObject({ code: 0 })
  }
}

test('given a running Tollgate or wrong engines, when its log is copied, then it says what to do', async () => {
  const { connectionString } = double
  const copy = (...words: string[]) => runCommand(LEDGER_CLI, ['copy', ...words], embedded())
  expect(await copy('--from', 'embedded', '--to', connectionString)).toMatchObject({
    code: 1,
    err: expect.stringContaining('stop all of its processes') as string,
  })
  expect(await copy('--from', 'embedded', '--to', 'embedded')).toMatchObject({
    code: 2,
    err: expect.stringContaining('the address of EventStoreDB') as string,
  })
  expect(await copy('--from', 'embedded', '--to', 'esdb://')).toMatchObject({
    code: 2,
    err: 'The address of EventStoreDB has no host:port in "".\n',
  })
  expect(await copy('--to', connectionString)).toMatchObject({
    code: 2,
    err: expect.stringContaining('npm run ledger -- copy') as string,
  })
})

test('given charges, when the log moves to EventStoreDB, then balances and proofs are the same there', async () => {
  for (let count = 0; count < 3; count += 1) await ask()
  const before = await figures(3)
  await product.terminate()
  expect(await runCommand(AUDIT_CLI, ['seal'], embedded())).toMatchObject({ code: 0 })
  const words = ['copy', '--from', 'embedded', '--to', double.connectionString]
  expect(await runCommand(LEDGER_CLI, words, embedded())).toMatchObject({
    code: 0,
    out: expect.stringMatching(/events copied, 0 stood there.[^]*The log is whole/u) as string,
  })
  // Once more, as after a stop between its last steps.
  expect(await runCommand(LEDGER_CLI, words, embedded())).toMatchObject({
    code: 0,
    out: expect.stringMatching(/^0 events copied/u) as string,
  })

  product = await startSingleProduct({ env: inEventStoreDb() }, gateway.product.dataDir)
  expect(await figures(3)).toEqual(before)
  await ask()
  expect(await figures(4)).toMatchObject({ rows: before.rows + 1 })
  await product.terminate()
  await expectSound(inEventStoreDb())
})

test('given a log in EventStoreDB, when it moves back, then the embedded one goes on where it was left', async () => {
  const words = ['copy', '--from', double.connectionString, '--to', 'embedded']
  expect(await runCommand(LEDGER_CLI, words, inEventStoreDb())).toMatchObject({
    code: 0,
    out: expect.stringMatching(/events copied, \d{2,} stood there.[^]*The log is whole/u) as string,
  })
  product = gateway.product
  await product.start()
  await figures(4)
  await ask()
  await figures(5)
  await product.terminate()
  await expectSound(embedded())
})
