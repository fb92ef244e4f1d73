import {
  type CommandApiFixture,
  openCommandApiFixture,
} from '@tollgate/tests/support/command-api.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { postgresJobNotes } from './job-notes.ts'
import type { AuditJob } from './jobs.ts'

let fixture: CommandApiFixture
beforeAll(async () => {
  fixture = await openCommandApiFixture()
})
afterAll(() => fixture.close())

const running: AuditJob = {
  id: 'one',
  kind: 'verify',
  status: 'running',
  startedAt: 1_000,
  endedAt: null,
  progress: { events: 3, position: 2, head: 9 },
  result: null,
  problem: null,
}
const grow = (ago: string) =>
  fixture.pool.query('update audit.jobs set noted_at = noted_at - $1::interval', [ago])

test('given a note, when asked for, then it is what was written last', async () => {
  const notes = postgresJobNotes(fixture.db)
  expect(await notes.find('one')).toBeNull()
  await notes.write(running)
  expect(await notes.find('one')).toEqual(running)
  const done: AuditJob = { ...running, status: 'done', endedAt: 2_000, result: { differences: 0 } }
  await notes.write(done)
  await grow('1 hour')
  expect(await notes.find('one')).toEqual(done)
})

test('given a running job that is not noted any more, when asked for, then it has failed with its process', async () => {
  const notes = postgresJobNotes(fixture.db)
  await notes.write({ ...running, id: 'lost' })
  await grow('14 seconds')
  expect(await notes.find('lost')).toMatchObject({ status: 'running' })
  await grow('2 seconds')
  expect(await notes.find('lost')).toMatchObject({
    status: 'failed',
    problem: 'the process that ran it has ended; start it again',
    endedAt: expect.any(Number),
  })
})

test('given notes of more than a day ago, when another is written, then they are gone', async () => {
  const notes = postgresJobNotes(fixture.db)
  await grow('25 hours')
  await notes.write({ ...running, id: 'new' })
  expect((await fixture.pool.query('select id from audit.jobs')).rows).toEqual([{ id: 'new' }])
})
