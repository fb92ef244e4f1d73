import { ManualClock } from '@tollgate/tests/support/manual-clock.ts'
import { expect, test } from 'vitest'
import { type AuditJob, type AuditProgress, type JobNotes, openAuditJobs } from './jobs.ts'

/** Notes in memory, as several processes share them. */
function openNotes(): JobNotes & {
  readonly written: Map<string, AuditJob>
  isUnavailable: boolean
} {
  const written = new Map<string, AuditJob>()
  return {
    written,
    isUnavailable: false,
    async write(job) {
      if (this.isUnavailable) throw new Error('PostgreSQL is away')
      written.set(job.id, job)
    },
    find: async (id) => written.get(id) ?? null,
  }
}

function openJobs(notes = openNotes(), clock = new ManualClock()) {
  let ids = 0
  const failures: unknown[] = []
  const jobs = openAuditJobs({
    clock,
    randomness: { uuid: () => `job-${(ids += 1)}` },
    notes,
    onFailure: (kind, error) => failures.push([kind, error]),
  })
  return { jobs, failures, notes, clock }
}

test('given a job under way, when another is started, then the first is answered until it has ended', async () => {
  const { jobs } = openJobs()
  const work = Promise.withResolvers<string>()
  const reported = Promise.withResolvers<(progress: AuditProgress) => void>()
  const first = await jobs.start('verify', async (onProgress) => {
    reported.resolve(onProgress)
    return work.promise
  })
  if (first.status !== 'started') throw new Error('busy at once')
  expect(first.job).toMatchObject({ id: 'job-1', status: 'running', progress: null })
  const onProgress = await reported.promise
  onProgress({ events: 3, position: 2, head: 9 })
  expect(await jobs.start('reconcile', () => Promise.resolve())).toMatchObject({
    status: 'busy',
    job: { id: 'job-1', kind: 'verify', progress: { events: 3 } },
  })
  work.resolve('whole')
  expect(await first.ended).toMatchObject({ status: 'done', result: 'whole' })
  expect(await jobs.job('job-1')).toMatchObject({ status: 'done' })
  expect((await jobs.start('reconcile', () => Promise.resolve())).status).toBe('started')
})

test('given work that fails, when it has ended, then only an operational error is told', async () => {
  const { jobs, failures } = openJobs()
  const operational = Object.assign(new Error('run it again'), { code: 'X', retryable: true })
  const bug = new TypeError('x is not a function')
  for (const [error, problem] of [
    [operational, 'run it again'],
    [bug, 'it broke off; the log of the process says why'],
  ] as const) {
    const started = await jobs.start('verify', () => Promise.reject(error))
    if (started.status !== 'started') throw new Error('busy')
    expect(await started.ended).toMatchObject({ status: 'failed', problem, result: null })
  }
  expect(failures).toEqual([
    ['verify', operational],
    ['verify', bug],
  ])
})

test('given a job under way, when stopped, then its signal aborts and it is waited for', async () => {
  const { jobs, failures } = openJobs()
  const started = await jobs.start(
    'verify',
    (_, signal) =>
      new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => reject(new Error('stopped')))
      }),
  )
  await jobs.stop()
  expect(await jobs.job(started.job.id)).toMatchObject({ status: 'failed' })
  expect(failures).toEqual([])
})

test('given a job of one process, when another is asked, then it tells its progress and its end', async () => {
  const notes = openNotes()
  const clock = new ManualClock()
  const [here, there] = [openJobs(notes, clock), openJobs(notes, clock)]
  const work = Promise.withResolvers<string>()
  const reported = Promise.withResolvers<(progress: AuditProgress) => void>()
  const started = await here.jobs.start('verify', (onProgress) => {
    reported.resolve(onProgress)
    return work.promise
  })
  expect(await there.jobs.job('job-1')).toMatchObject({ status: 'running', progress: null })
  const onProgress = await reported.promise
  onProgress({ events: 3, position: 2, head: 9 })
  await clock.pass(1_000)
  expect(await there.jobs.job('job-1')).toMatchObject({ progress: { events: 3 } })
  work.resolve('whole')
  if (started.status === 'started') await started.ended
  await here.jobs.stop()
  expect(await there.jobs.job('job-1')).toMatchObject({ status: 'done', result: 'whole' })
  expect(await there.jobs.job('job-2')).toBeNull()
})

test('given notes that cannot be written, when a job ends, then it is noted later; new jobs are refused', async () => {
  const { jobs, notes, clock } = openJobs()
  const started = await jobs.start('verify', () => {
    notes.isUnavailable = true
    return Promise.resolve('whole')
  })
  if (started.status === 'started') await started.ended
  await clock.pass(3_000)
  await expect(jobs.start('verify', () => Promise.resolve())).rejects.toThrow('away')
  expect(notes.written.get('job-1')).toMatchObject({ status: 'running' })
  notes.isUnavailable = false
  await clock.pass(1_000)
  expect(notes.written.get('job-1')).toMatchObject({ status: 'done' })
  expect((await jobs.start('verify', () => Promise.resolve())).status).toBe('started')
})
