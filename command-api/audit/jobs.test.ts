import { expect, test } from 'vitest'
import { type AuditProgress, openAuditJobs } from './jobs.ts'

function openJobs() {
  let time = 1_000
  let ids = 0
  const failures: unknown[] = []
  const jobs = openAuditJobs({
    clock: { now: () => (time += 1) },
    randomness: { uuid: () => `job-${(ids += 1)}` },
    onFailure: (kind, error) => failures.push([kind, error]),
  })
  return { jobs, failures }
}

test('given a job under way, when another is started, then the first is answered until it has ended', async () => {
  const { jobs } = openJobs()
  const work = Promise.withResolvers<string>()
  const reported = Promise.withResolvers<(progress: AuditProgress) => void>()
  const first = jobs.start('verify', async (onProgress) => {
    reported.resolve(onProgress)
    return work.promise
  })
  if (first.status !== 'started') throw new Error('busy at once')
  expect(first.job).toMatchObject({ id: 'job-1', status: 'running', progress: null })
  const onProgress = await reported.promise
  onProgress({ events: 3, position: 2, head: 9 })
  expect(jobs.start('reconcile', () => Promise.resolve())).toMatchObject({
    status: 'busy',
    job: { id: 'job-1', kind: 'verify', progress: { events: 3 } },
  })
  work.resolve('whole')
  expect(await first.ended).toMatchObject({ status: 'done', result: 'whole' })
  expect(jobs.job('job-1')).toMatchObject({ status: 'done', startedAt: 1_001, endedAt: 1_002 })
  expect(jobs.start('reconcile', () => Promise.resolve()).status).toBe('started')
})

test('given work that fails, when it has ended, then an operational error is told and any other is for the log', async () => {
  const { jobs, failures } = openJobs()
  const operational = Object.assign(new Error('run it again'), { code: 'X', retryable: true })
  const bug = new TypeError('x is not a function')
  for (const [error, problem] of [
    [operational, 'run it again'],
    [bug, 'it broke off; the log of the process says why'],
  ] as const) {
    const started = jobs.start('verify', () => Promise.reject(error))
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
  const started = jobs.start(
    'verify',
    (_, signal) =>
      new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => reject(new Error('stopped')))
      }),
  )
  await jobs.stop()
  expect(jobs.job(started.job.id)).toMatchObject({ status: 'failed' })
  expect(failures).toEqual([])
})

test('given many jobs, when remembered, then the oldest are forgotten', async () => {
  const { jobs } = openJobs()
  for (let count = 0; count < 21; count += 1) {
    const started = jobs.start('verify', () => Promise.resolve())
    if (started.status === 'started') await started.ended
  }
  expect(jobs.job('job-1')).toBeNull()
  expect(jobs.job('job-21')).toMatchObject({ status: 'done' })
})
