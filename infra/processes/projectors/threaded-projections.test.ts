import { ensureTimelines, openTimeline } from '@tollgate/command-api/timelines/timelines.ts'
import { currentTimeline } from '@tollgate/domain/timeline/timelines.ts'
import { Worker } from 'node:worker_threads'
import {
  createMigratedDatabase,
  type TestDatabase,
} from '@tollgate/tests/support/engines/database.ts'
import { until } from '@tollgate/tests/support/processes.ts'
import { SETTINGS_STREAM } from '@tollgate/domain/event.ts'
import { EMPTY_STREAM, type StreamHead } from '@tollgate/domain/ports/event-store.ts'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openPostgresEventStore } from '../../event-store/postgres/store.ts'
import { type ThreadedProjections, threadedProjections } from './threaded-projections.ts'
import { systemClock, systemRandomness } from '../runtime.ts'

const THREAD = new URL('./projector-thread.ts', import.meta.url)

let database: TestDatabase
let store: ReturnType<typeof openPostgresEventStore>
let projections: ThreadedProjections
let workers: Worker[]
let logged: string[]
let head: StreamHead
let workerOf: (workerData: unknown) => Worker

beforeEach(async () => {
  database = await createMigratedDatabase()
  const { pool, url } = database
  store = openPostgresEventStore({ pool, databaseUrl: url, logger: silent, clock: systemClock })
  const writer = { store, clock: systemClock, randomness: systemRandomness }
  const { log } = currentTimeline(await ensureTimelines(writer))
  workers = []
  logged = []
  head = EMPTY_STREAM
  workerOf = (workerData) => new Worker(THREAD, { workerData })
  projections = threadedProjections({
    config: { databaseUrl: url, eventStoreUrl: null, log, member: null },
    pool,
    clock: systemClock,
    logger: { ...silent, error: (_fields, message) => void logged.push(message) },
    openWorker(workerData) {
      const worker = workerOf(workerData)
      workers.push(worker)
      return worker
    },
  })
})
afterEach(async () => {
  await projections.stop()
  await store.close()
  await database.drop()
})

const silent = { info: () => undefined, warn: () => undefined, error: () => undefined }

async function changeOption(value: string): Promise<number> {
  const event = {
    id: crypto.randomUUID(),
    type: 'OptionChanged',
    data: { at: 1, key: 'SystemName', value, previous: null, note: null },
    metadata: { actor: 'system', correlationId: 'test', causationId: null, schemaVersion: 1 },
  } as const
  const appended = await store.append(SETTINGS_STREAM, [event], head)
  head = appended.head
  return appended.position
}

const shownName = async (): Promise<unknown> => {
  const { rows } = await database.pool.query(
    "select value from options.options where key = 'SystemName'",
  )
  return rows[0]?.value
}

test('given projectors in a thread, when an event is appended, then waiting for it ends with its row', async () => {
  await projections.start()
  await until('the thread follows', () => projections.status().state === 'active')
  const position = await changeOption('Northgate')
  expect(await projections.waitFor(['options'], position, 10_000)).toBe(true)
  expect(await shownName()).toBe('Northgate')
  const positionShown = (): number =>
    projections.status().projectors.find(({ name }) => name === 'options')?.position ?? -1
  await until('the status says so', () => positionShown() >= position)
  expect(await projections.waitFor(['options'], position + 1, 50)).toBe(false)
})

test('given a thread that dies, when it has gone, then readiness says so and a new one goes on from there', async () => {
  await projections.start()
  await workers[0]?.terminate()
  await until('its death is noticed', () => projections.readinessProblem() !== null)
  expect(projections.readinessProblem()).toContain('started again')
  expect(projections.status().state).toBe('starting')
  const position = await changeOption('Southgate')
  expect(await projections.waitFor(['options'], position, 10_000)).toBe(true)
  expect(await shownName()).toBe('Southgate')
  await until('it is ready again', () => projections.readinessProblem() === null)
  expect(workers).toHaveLength(2)
  expect(logged).toEqual(["the projectors' thread ended; it is started again"])
})

test('given a rejection in the thread that nobody handles, when it comes, then it is logged only', async () => {
  workerOf = (workerData) =>
    new Worker(
      `import(${JSON.stringify(THREAD.href)})
       setTimeout(() => void Promise.reject(new Error('unheard')), 300)`,
      { eval: true, workerData },
    )
  await projections.start()
  await until('it is logged', () => logged.length > 0)
  expect(logged).toEqual(['process: nobody handled a rejection; the process goes on'])
  const position = await changeOption('Eastgate')
  expect(await projections.waitFor(['options'], position, 10_000)).toBe(true)
  expect(workers).toHaveLength(1)
})

test('given a database that does not fit, when the thread is started, then starting fails with the reason', async () => {
  await database.pool.query('create schema projections; create table projections.checkpoints ()')
  await expect(projections.start()).rejects.toThrow(/name/)
  expect(workers).toHaveLength(1)
})

test('given another log than the compared one, when the thread starts, then it takes nothing and names it', async () => {
  await openTimeline({ store, clock: systemClock, randomness: systemRandomness }, 'accept-rollback')
  await expect(projections.start()).rejects.toThrow(/goes by timeline .*, not by/)
})
