import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Clock } from '@tollgate/domain/ports/clock.ts'
import { type EventStore, StoreUnavailable } from '@tollgate/domain/ports/event-store.ts'
import { lastSeal } from '@tollgate/command-api/audit/seals.ts'
import {
  type PostgresAuditedLog,
  postgresAuditedLog,
} from '@tollgate/tests/support/histories/audited-log.ts'
import { until } from '@tollgate/tests/support/processes.ts'
import { pino } from 'pino'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type ComposedAudit, composeAudit } from './compose-audit.ts'
import { systemClock, systemEntropy, systemRandomness } from '../runtime.ts'

let log: PostgresAuditedLog
let all: ComposedAudit[]
let dataDir: string
beforeEach(async () => {
  log = await postgresAuditedLog()
  all = []
  dataDir = await mkdtemp(join(tmpdir(), 'tollgate-audit-'))
})
afterEach(async () => {
  await Promise.all(all.map((one) => one.stop()))
  await log.close()
  await rm(dataDir, { recursive: true })
})

const runtime = {
  clock: systemClock,
  randomness: systemRandomness,
  entropy: systemEntropy,
  logger: pino({ level: 'silent' }),
}

/** How often somebody has looked whether there is something to seal. */
let rounds = 0

function start(
  ledgerSealMs: number | null,
  clock: Clock = systemClock,
  more: Partial<EventStore> = {},
): ComposedAudit {
  const { database } = log
  const store = {
    ...log.store,
    appendProblem: () => null,
    readProblem: () => null,
    followProblem: () => null,
    foreignProblem: () => null,
    proveWrite: () => Promise.resolve(),
    headPosition: () => {
      rounds += 1
      return log.store.headPosition()
    },
    ...more,
  }
  const composed = composeAudit(
    { ledgerSealMs, dataDir },
    { ...runtime, clock },
    {
      store,
      pool: database.pool,
      db: database.db,
      batchPool: database.pool,
    },
  )
  all.push(composed)
  return composed
}

const sealed = async (): Promise<number> => (await lastSeal(log.store)).seal?.data.number ?? 0
const opened = { type: 'AccountOpened', data: { at: 1 } } as const

test('given two sealing processes, when events come, then each change is sealed once and rest makes none', async () => {
  start(5)
  start(5)
  for (const account of [1, 2, 3]) {
    await log.append(`account-${account}`, opened)
    await until(`account ${account} is sealed`, async () => (await sealed()) === account)
  }
  const head = await log.store.headPosition()
  const before = rounds
  await until('both have looked again', async () => rounds > before + 5)
  expect(await log.store.headPosition()).toBe(head)
})

test('given sealing on demand alone, when events come, then no seal is made by itself', async () => {
  start(null)
  await log.append('account-1', opened)
  await all[0]?.stop()
  expect(await sealed()).toBe(0)
})

const HOUR_MS = 3_600_000

test('given a ledger that cannot be sealed, when twice the interval has passed, then that is warned of', async () => {
  let now = systemClock.now()
  const clock = { ...systemClock, now: () => now }
  await log.append('account-1', opened)
  await log.seal()
  await log.append('account-2', opened)
  let isUnavailable = true
  const composed = start(HOUR_MS, clock, {
    append: (...args) =>
      isUnavailable
        ? Promise.reject(new StoreUnavailable('away', 'none'))
        : log.store.append(...args),
  })
  expect(composed.warning()).toBeNull()
  now += 2 * HOUR_MS + 60_000
  expect(composed.warning()).toMatch(
    /last sealed 12[01] minutes ago, though it should be every 60;/u,
  )
  await composed.stop()
  // The next start does at once what is overdue.
  isUnavailable = false
  const next = start(HOUR_MS, clock)
  await until('it is sealed', async () => (await sealed()) === 2)
  await until('nothing is warned of', async () => next.warning() === null)
})

test('given streams that another client has cut, when the process starts, then they are warned of', async () => {
  const cut = [{ stream: 'account-1', how: '{"$maxCount":1}', position: 1 }]
  const composed = start(null, systemClock, { readCutStreams: () => Promise.resolve(cut) })
  await until('it is known', async () => composed.warning() !== null)
  expect(composed.warning()).toBe(
    'another client has cut 1 stream of the ledger (account-1: {"$maxCount":1}); npm run audit -- verify lists all',
  )
})
