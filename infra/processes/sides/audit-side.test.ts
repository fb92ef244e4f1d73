import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { lastSeal } from '@tollgate/command-api/audit/seals.ts'
import {
  type PostgresAuditedLog,
  postgresAuditedLog,
} from '@tollgate/tests/support/histories/audited-log.ts'
import { until } from '@tollgate/tests/support/processes.ts'
import { pino } from 'pino'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type AuditSide, composeAudit } from './audit-side.ts'
import { systemClock, systemEntropy, systemRandomness } from '../world.ts'

let log: PostgresAuditedLog
let sides: AuditSide[]
let dataDir: string
beforeEach(async () => {
  log = await postgresAuditedLog()
  sides = []
  dataDir = await mkdtemp(join(tmpdir(), 'tollgate-audit-'))
})
afterEach(async () => {
  await Promise.all(sides.map((side) => side.stop()))
  await log.close()
  await rm(dataDir, { recursive: true })
})

const world = {
  clock: systemClock,
  randomness: systemRandomness,
  entropy: systemEntropy,
  logger: pino({ level: 'silent' }),
}

/** How often somebody has looked whether there is something to seal. */
let rounds = 0

function start(ledgerSealMs: number | null): void {
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
  }
  sides.push(
    composeAudit({ ledgerSealMs, dataDir }, world, {
      store,
      pool: database.pool,
      patientPool: database.pool,
    }),
  )
}

const sealed = async (): Promise<number> => (await lastSeal(log.store)).seal?.data.number ?? 0
const opened = { type: 'AccountOpened', data: { at: 1 } } as const

test('given two processes that seal every few milliseconds, when events come, then each change is sealed once and rest makes no seals', async () => {
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
  await sides[0]?.stop()
  expect(await sealed()).toBe(0)
})
