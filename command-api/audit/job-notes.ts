import { type CommonQueryMethods, sql } from 'slonik'
import { z } from 'zod'
import { noRow } from '../statements.ts'
import type { AuditJob, JobNotes } from './jobs.ts'

/** A running job that was not noted for so long has lost its process; it is noted every second. */
const LOST_AFTER = '15 seconds'
/** Results are looked at soon; a later audit says more. */
const KEPT_FOR = '1 day'

/** Notes in PostgreSQL. How old they are goes by the database's clock alone. */
export const postgresJobNotes = (db: CommonQueryMethods): JobNotes => ({
  async write(job) {
    await db.query(sql.type(noRow)`
      with outdated as (delete from audit.jobs where noted_at < now() - ${KEPT_FOR}::interval)
      insert into audit.jobs (id, job, is_running, noted_at)
      values (${job.id}, ${JSON.stringify(job)}, ${job.status === 'running'}, now())
      on conflict (id) do update
        set job = excluded.job, is_running = excluded.is_running, noted_at = excluded.noted_at`)
  },
  async find(id) {
    const note = await db.maybeOne(sql.type(noteRow)`
      select job, is_running and noted_at < now() - ${LOST_AFTER}::interval as is_lost,
        extract(epoch from noted_at)::float8 * 1000 as noted_at
      from audit.jobs where id = ${id}`)
    if (note === null) return null
    if (!note.is_lost) return note.job
    const problem = 'the process that ran it has ended; start it again'
    return { ...note.job, status: 'failed', endedAt: Math.round(note.noted_at), problem }
  },
})

const jobText = z.object({
  id: z.string(),
  kind: z.string(),
  status: z.enum(['running', 'done', 'failed']),
  startedAt: z.number(),
  endedAt: z.number().nullable(),
  progress: z.object({ events: z.number(), position: z.number(), head: z.number() }).nullable(),
  result: z.unknown(),
  problem: z.string().nullable(),
})

const noteRow = z.object({
  job: z.string().transform((text): AuditJob => jobText.parse(JSON.parse(text))),
  is_lost: z.boolean(),
  noted_at: z.number(),
})
