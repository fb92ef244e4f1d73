import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { ConsoleClient } from '../support/console-client.ts'
import {
  type EventStoreDbDouble,
  startEventStoreDbDouble,
} from '../support/engines/eventstoredb-double/double.ts'
import { ROOT, startSingleGateway, type Gateway } from '../support/gateway.ts'
import { until } from '../support/processes.ts'
import { type SingleProduct, startSingleProduct } from '../support/product.ts'
import { type CommandRun, runCommand } from '../support/run-command.ts'

/** A Tollgate whose log is in EventStoreDB: people and secrets are saved beside it, and come back beside it. */
let gateway: Gateway<SingleProduct>
let double: EventStoreDbDouble
let folder: string
let backup: string
let restored: SingleProduct | undefined
/** Records of the log when the backup was taken, and before its newest events. */
let before: number
const keys: Record<string, string> = {}

beforeAll(async () => {
  double = await startEventStoreDbDouble()
  gateway = await startSingleGateway({
    models: ['gpt-4o-mini'],
    product: { env: { EVENTSTORE_URL: double.connectionString } },
  })
  folder = await mkdtemp(join(tmpdir(), 'tollgate-beside-'))
  backup = join(folder, 'backup')
  keys['first'] = (await gateway.root.createToken({ name: 'first' })).key
  await gateway.root.addUser('ann', 'long-enough-2', 1_000_000)
})
afterAll(async () => {
  await restored?.terminate().catch(() => null)
  await gateway.stop()
  await double.close()
  await rm(folder, { recursive: true, force: true })
})

const cli = (name: string) =>
  new URL(`../../infra/processes/commands/${name}-cli.ts`, import.meta.url)
const envOf = (dataDir: string, url = double.connectionString) => ({
  DATA_DIR: dataDir,
  EVENTSTORE_URL: url,
})
const restore = (dataDir: string, url?: string): Promise<CommandRun> =>
  runCommand(cli('restore'), [backup], envOf(join(folder, dataDir), url))

async function ask(url: string, name: string): Promise<number> {
  const answer = await fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer sk-${keys[name]}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'gpt-4o-mini', messages: [{ role: 'user', content: 'hi' }] }),
  })
  await answer.arrayBuffer()
  return answer.status
}

async function rootAt(url: string): Promise<ConsoleClient> {
  const root = new ConsoleClient(url)
  await root.logIn(ROOT.username, ROOT.password)
  return root
}

const makeCode = (root: ConsoleClient): Promise<unknown> =>
  root.ask('POST', '/api/redemption/', z.unknown(), { name: 'code', quota: 10, count: 1 })

const charged = (root: ConsoleClient, requests: number): Promise<void> =>
  until(
    `${requests} charges are visible`,
    async () => (await root.self()).request_count === requests,
  )

test('given a running Tollgate, when saved, then the backup names its log and has people and secrets', async () => {
  expect(await ask(gateway.product.url, 'first')).toBe(200)
  await charged(gateway.root, 1)
  before = double.log.records.length
  await gateway.root.createToken({ name: 'newest in the backup' })
  const ran = await runCommand(cli('backup'), [backup], envOf(gateway.product.dataDir))
  expect(ran).toMatchObject({
    code: 0,
    err: '',
    out: expect.stringContaining('copy the folder of EventStoreDB now') as string,
  })
  const files = await readdir(backup)
  expect(files).toContain('identity.users.copy.gz')
  expect(files.filter((file) => file.startsWith('ledger.'))).toEqual([])
  const manifest = JSON.parse(await readFile(join(backup, 'manifest.json'), 'utf8')) as unknown
  expect(manifest).toMatchObject({
    log: { timelines: [expect.any(String)], hash: expect.stringMatching(/^[0-9a-f]{64}$/) },
  })
})

test('given a log that went on, when restored beside it, then nothing later is given to others', async () => {
  const late = await gateway.root.addUser('late', 'long-enough-3', 5_000)
  keys['late'] = (await gateway.root.createToken({ name: 'late' })).key
  await makeCode(gateway.root)
  expect(await ask(gateway.product.url, 'first')).toBe(200)
  await charged(gateway.root, 2)
  const { quota } = await gateway.root.self()
  await gateway.product.terminate()

  const ran = await restore('restored')
  expect(ran).toMatchObject({
    code: 0,
    err: '',
    out: expect.stringContaining(
      'The log has more than the backup (users: 1, tokens: 1, redemption codes: 1)',
    ) as string,
  })
  restored = await startSingleProduct(
    { env: { EVENTSTORE_URL: double.connectionString } },
    join(folder, 'restored'),
  )
  const { url } = restored
  const root = await rootAt(url)
  await charged(root, 2)
  expect((await root.self()).quota).toBe(quota)
  expect(await ask(url, 'first')).toBe(200)
  expect(await ask(url, 'late')).toBe(401)
  const next = await root.addUser('next', 'long-enough-4', 7_000)
  expect(next.userId).toBeGreaterThan(late.userId)
  await until('the credit is visible', async () => (await next.self()).quota === 7_000)
  const token = await root.ask('POST', '/api/token/', z.object({ id: z.number() }), {
    name: 'next',
    unlimited_quota: true,
    expired_time: -1,
  })
  expect(token.id).toBeGreaterThan(3)
  // The first code of all was made after the backup, too.
  await makeCode(root)
  expect(await restored.query('select id::int from secrets.redemptions')).toEqual([{ id: 2 }])
  await charged(root, 3)
  await restored.terminate()
  for (const proof of ['verify', 'reconcile']) {
    const env = envOf(join(folder, 'restored'))
    expect(await runCommand(cli('audit'), [proof], env)).toMatchObject({ code: 0 })
  }
  // The former database knows nothing of it, and does not go with the log any more.
  await expect(gateway.product.start()).rejects.toThrow(/goes with the event log/)
})

test('given no, another or an older log, when restored, then refused with what to do', async () => {
  const refusal = (text: string) => ({ code: 1, err: expect.stringContaining(text) as string })
  expect(await restore('none', '')).toMatchObject(refusal('set EVENTSTORE_URL'))
  const other = await startEventStoreDbDouble()
  expect(await restore('other', other.connectionString)).toMatchObject(
    refusal("put the server's folder back first"),
  )
  await other.close()
  double.log.putBack(before)
  expect(await restore('older')).toMatchObject(refusal('is older than the backup'))
  for (const name of ['none', 'other', 'older']) {
    expect(await readdir(join(folder, name)).catch(() => [])).toEqual([])
  }
})
