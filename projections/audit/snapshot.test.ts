import { openProjectionLog, type ProjectionLog } from '@tollgate/tests/support/projection-log.ts'
import { until } from '@tollgate/tests/support/processes.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readModels } from '../read-models.ts'
import { ComparisonDisturbed } from './disturbed.ts'
import { expectOptions } from './options.ts'
import { inSnapshot } from './snapshot.ts'

let log: ProjectionLog
beforeAll(async () => {
  log = await openProjectionLog()
  await log.project(readModels)
})
afterAll(() => log.close())

test('given a statement that takes long, when the signal aborts, then it is cancelled', async () => {
  const ending = new AbortController()
  const ended = inSnapshot(log.pool, [], ending.signal, async (snapshot) => {
    for await (const row of snapshot.rows('select pg_sleep(600)')) expect(row).toBeUndefined()
  }).catch((error: unknown) => error)
  await until('the statement runs', async () => {
    const { rows } = await log.pool.query<{ runs: boolean }>(
      `select exists (select from pg_stat_activity where datname = current_database() and wait_event = 'PgSleep') as runs`,
    )
    return rows[0]?.runs === true
  })
  ending.abort()
  expect(await ended).toMatchObject({ code: '57014' })
})

test('given a table that another session locks, when a snapshot is wanted, then it soon gives up', async () => {
  const blocker = await log.pool.connect()
  try {
    await blocker.query('begin; lock table options.options in access exclusive mode')
    const snapshot = inSnapshot(log.pool, [expectOptions()], undefined, () => Promise.resolve())
    await expect(snapshot).rejects.toBeInstanceOf(ComparisonDisturbed)
  } finally {
    await blocker.query('rollback')
    blocker.release()
  }
})

test('given a table swapped during its comparison, when the comparison ends, then that is found out', async () => {
  const snapshot = inSnapshot(log.pool, [expectOptions()], undefined, () =>
    log.pool.query('alter schema options rename to options_old; create schema options'),
  )
  await expect(snapshot).rejects.toBeInstanceOf(ComparisonDisturbed)
})
