import { execFile } from 'node:child_process'
import { mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { verifyStream } from '@tollgate/infra/event-store/chain.ts'
import type { StoredEvent } from '@tollgate/infra/event-store/stored-event.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { expectBalancedBooks } from '../support/books.ts'
import { ConsoleClient } from '../support/console-client.ts'
import { type Gateway, ROOT, startSingleGateway } from '../support/gateway.ts'
import { until } from '../support/processes.ts'
import type { Product } from '../support/product-kinds.ts'
import { type SingleProduct, startSingleProduct } from '../support/product.ts'

/**
 * A backup taken while requests are charged and tokens are made, restored into an empty folder: everything that was done
 * before it began is there, nothing refers to what is not, and Tollgate goes on from it.
 */
let gateway: Gateway<SingleProduct>
let user: ConsoleClient
let key: string
let folder: string
/** Folder of the newest try's backup. */
let backup: string

const MODEL = 'gpt-4o-mini'
const CLIENTS = 8
const ROOT_FOLDER = fileURLToPath(new URL('../..', import.meta.url))

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tollgate-backup-'))
  gateway = await startSingleGateway({ models: [MODEL] })
  user = await gateway.root.addUser('saved', 'long-enough-2', 50_000_000)
  key = (await user.createToken({ name: 'saved' })).key
})
afterAll(async () => {
  await gateway.stop()
  await rm(folder, { recursive: true })
})

test('given load, when a backup is restored into an empty folder, then ledger and secrets are whole', async () => {
  const place = await mkdtemp(join(folder, 'place-'))
  backup = join(place, 'backup')
  const load = startLoad()
  await until('the load runs', () => load.finished.length > 100 && load.tokens.length > 3)
  const finishedBefore = [...load.finished]
  const tokensBefore = [...load.tokens]
  const saved = await command('backup-cli', gateway.product.dataDir, backup)
  await load.stop()
  expect(saved).toMatchObject({ code: 0 })

  const dataDir = join(place, 'restored')
  const restored = await command('restore-cli', dataDir, backup)
  expect(restored).toMatchObject({ code: 0 })
  expect((await stat(join(dataDir, 'master.key'))).mode & 0o777).toBe(0o600)

  const original = await storedEvents(gateway.product)
  const product = await startSingleProduct({}, dataDir)
  try {
    await expectSameBeginning(product, original)
    const charged = new Set(await chargedRequests(product))
    expect(finishedBefore.filter((id) => !charged.has(id))).toEqual([])
    expect(await danglingIds(product)).toEqual([])

    const root = new ConsoleClient(product.url)
    await root.logIn(ROOT.username, ROOT.password)
    const again = new ConsoleClient(product.url)
    await again.logIn('saved', 'long-enough-2')
    expect((await again.tokens()).find(({ name }) => name === 'saved')?.key).toBe(key)
    const names = (await root.tokens()).map(({ name }) => name)
    expect(tokensBefore.filter((name) => !names.includes(name))).toEqual([])

    // The token and the channel's key open: a request goes through and is charged.
    expect((await request(product.url, new AbortController().signal)).isFinished).toBe(true)
    // An id is never given twice.
    const fresh = await root.createToken({ name: 'fresh' })
    expect(fresh.id).toBeGreaterThan(await highestTokenBefore(product, fresh.id))
    await until(
      'every hold of the saved run has ended',
      async () => (await openHolds(product)) <= 1,
    )
    await expectBalancedBooks(product, root, [again])
    await expectWholeChains(product)
  } finally {
    await product.dispose()
  }
})

test('given a data folder in use, when restored into, then it refuses and changes nothing', async () => {
  const before = await gateway.product.query('select count(*)::int as events from ledger.events')
  const { code, out } = await command('restore-cli', gateway.product.dataDir, backup)
  expect(code).toBe(1)
  expect(out).toMatch(/is not empty .* restoring never overwrites/)
  expect(await gateway.product.query('select count(*)::int as events from ledger.events')).toEqual(
    before,
  )
})

/** Runs a command line program as npm does, without the environment of the test run. */
function command(
  name: string,
  dataDir: string,
  ...words: readonly string[]
): Promise<{ code: number; out: string }> {
  const script = join(ROOT_FOLDER, 'infra/processes/commands', `${name}.ts`)
  const env = { PATH: process.env['PATH'], DATA_DIR: dataDir }
  return new Promise((resolve) => {
    execFile(process.execPath, [script, ...words], { env }, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : Number(error.code ?? -1), out: stdout + stderr })
    })
  })
}

interface Load {
  /** Request ids of the answers that were read to their end. */
  readonly finished: readonly string[]
  /** Names of the tokens whose making was confirmed. */
  readonly tokens: readonly string[]
  stop(): Promise<void>
}

/** Clients that ask without a pause, and an administrator who makes tokens. */
function startLoad(): Load {
  const stopping = new AbortController()
  const finished: string[] = []
  const tokens: string[] = []
  const ask = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      const { id, isFinished } = await request(gateway.product.url, stopping.signal)
      if (isFinished) finished.push(id)
      else await sleep(20)
    }
  }
  const issue = async (): Promise<void> => {
    while (!stopping.signal.aborted && tokens.length < TOKENS_MAX) {
      const { name } = await gateway.root.createToken({ name: `made-${tokens.length}` })
      tokens.push(name)
    }
  }
  const workers = [...Array.from({ length: CLIENTS }, ask), issue()]
  return {
    finished,
    tokens,
    async stop() {
      stopping.abort()
      await Promise.all(workers)
    },
  }
}

/** One page of the list that `createToken` looks in. */
const TOKENS_MAX = 90

async function request(
  url: string,
  signal: AbortSignal,
): Promise<{ id: string; isFinished: boolean }> {
  try {
    const answer = await fetch(`${url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer sk-${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: MODEL, messages: [{ role: 'user', content: 'x' }] }),
      signal,
    })
    const text = await answer.text()
    return {
      id: answer.headers.get('x-oneapi-request-id') ?? '',
      isFinished: answer.ok && text.endsWith('}'),
    }
  } catch {
    // The load is being stopped.
    return { id: '', isFinished: false }
  }
}

const storedRow = z.object({
  position: z.coerce.number(),
  stream: z.string(),
  revision: z.number(),
  id: z.string(),
  type: z.string(),
  dataText: z.string(),
  metadataText: z.string(),
})

async function storedEvents(product: Product): Promise<readonly StoredEvent[]> {
  const rows = await product.query(
    `select position, stream, revision, id::text, type, data as "dataText", metadata as "metadataText"
     from ledger.events order by position`,
  )
  return z
    .array(storedRow)
    .parse(rows)
    .map((row) => ({ ...row, recordedAt: 0 }))
}

/**
 * The restored log is byte for byte the beginning of the original one. Events that the new start wrote come after it.
 */
async function expectSameBeginning(
  product: Product,
  original: readonly StoredEvent[],
): Promise<void> {
  const present = await storedEvents(product)
  const same = present.findIndex((event, at) => event.id !== original[at]?.id)
  const count = same === -1 ? present.length : same
  expect(count).toBeGreaterThan(100)
  expect(present.slice(0, count)).toEqual(original.slice(0, count))
  const later = await product.query(
    `select type, stream, data from ledger.events where position >= ${count}
     and type not in ('HoldExpired', 'HoldReleased', 'TimelineOpened', 'BalanceCarriedForward', 'LedgerSealed')`,
  )
  expect(later).toEqual([])
}

async function expectWholeChains(product: Product): Promise<void> {
  const events = await storedEvents(product)
  for (const stream of new Set(events.map((event) => event.stream))) {
    const own = events.filter((event) => event.stream === stream)
    expect((await verifyStream(own)).firstBreak).toBeNull()
  }
}

/** Users, tokens and channels that events name and no row knows. */
const danglingIds = (product: Product): Promise<unknown[]> =>
  product.query(`
    select stream from ledger.events where stream ~ '^(user|account)-'
      and split_part(stream, '-', 2)::bigint not in (select id from identity.users)
    union all
    select stream from ledger.events where stream like 'channel-%'
      and split_part(stream, '-', 2)::bigint not in (select id from secrets.channels)
    union all
    select data from ledger.events where type = 'TokenIssued'
      and (data::jsonb->>'token')::bigint not in (select id from secrets.tokens)`)

const count = z.array(z.object({ count: z.coerce.number() })).length(1)

async function highestTokenBefore(product: Product, fresh: number): Promise<number> {
  const [row] = count.parse(
    await product.query(
      `select coalesce(max((data::jsonb->>'token')::bigint), 0) as count from ledger.events
       where type = 'TokenIssued' and (data::jsonb->>'token')::bigint <> ${fresh}`,
    ),
  )
  return row?.count ?? Infinity
}

async function chargedRequests(product: Product): Promise<string[]> {
  const rows = await product.query(
    "select data::jsonb->'request'->>'id' as id from ledger.events where type = 'UsageCharged'",
  )
  return z
    .array(z.object({ id: z.string() }))
    .parse(rows)
    .map(({ id }) => id)
}

async function openHolds(product: Product): Promise<number> {
  const [row] = count.parse(
    await product.query(
      `select count(*) filter (where type = 'QuotaHeld')
         - count(*) filter (where type in ('HoldReleased', 'HoldExpired')) as count from ledger.events`,
    ),
  )
  return row?.count ?? Infinity
}
