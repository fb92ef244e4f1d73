import { logId } from '@tollgate/domain/ids.ts'
import { type CommonQueryMethods, sql } from 'slonik'
import { z } from 'zod'
import { changedRows, counted, noRow, timestamp } from '../../statements.ts'
import type { BegunWorkflow, PendingWorkflow, WorkflowTable } from './workflow-table.ts'

/** The workflow manager's memory in `process_manager.checkpoint` and `process_manager.pending`. */
export function workflowRows(db: CommonQueryMethods): WorkflowTable {
  return {
    async checkpoint(initial) {
      await db.query(sql.type(noRow)`
        insert into process_manager.checkpoint (position, log)
        values (${initial.position}, ${initial.log}) on conflict do nothing`)
      const row = await db.maybeOne(sql.type(checkpointRow)`
        select position, log from process_manager.checkpoint`)
      if (row === null) return initial
      return { position: row.position, log: row.log === null ? null : logId(row.log) }
    },
    advance: ({ from, to, log }, begun, at) =>
      db.transaction(async (transaction) => {
        const moved = await changedRows(
          transaction,
          sql.type(noRow)`
            update process_manager.checkpoint
            set position = ${to}, log = ${log}, updated_at = now() where position = ${from}`,
        )
        if (moved === 0) return false
        await note(transaction, begun, at)
        return true
      }),
    note: (begun, at) => note(db, begun, at),
    async due(at, limit) {
      const rows = await db.any(sql.type(pendingRow)`
        select ${COLUMNS} from process_manager.pending where next_attempt_at <= ${timestamp(at)}
        order by next_attempt_at, process_id limit ${limit}`)
      return rows.map(pendingOfRow)
    },
    async decided() {
      const rows = await db.any(sql.type(pendingRow)`
        select ${COLUMNS} from process_manager.pending where stream is not null`)
      return rows.map(pendingOfRow)
    },
    async postpone({ id, kind }, { step, error, nextAttemptAt }) {
      await db.query(sql.type(noRow)`
        update process_manager.pending
        set step = ${step}, last_error = ${error}, next_attempt_at = ${timestamp(nextAttemptAt)},
          attempts = attempts + 1
        where process_id = ${id} and kind = ${kind}`)
    },
    async finish({ id, kind }) {
      await db.query(sql.type(noRow)`
        delete from process_manager.pending where process_id = ${id} and kind = ${kind}`)
    },
    async list(limit) {
      const rows = await db.any(sql.type(pendingRow.extend({ total: z.number() }))`
        select ${COLUMNS}, count(*) over () as total from process_manager.pending
        order by attempts desc, since, process_id limit ${limit}`)
      return { processes: rows.map(pendingOfRow), total: rows[0]?.total ?? 0 }
    },
    countFailing: (attempts) =>
      db.oneFirst(sql.type(counted)`
        select count(*) as count from process_manager.pending where attempts >= ${attempts}`),
    async retry(id, at) {
      const retried = await changedRows(
        db,
        sql.type(noRow)`
          update process_manager.pending set next_attempt_at = ${timestamp(at)}
          where process_id = ${id}`,
      )
      return retried !== 0
    },
  }
}

async function note(
  db: CommonQueryMethods,
  begun: readonly BegunWorkflow[],
  at: number,
): Promise<void> {
  if (begun.length === 0) return
  const rows = begun.map(({ id, kind, decision }) => [
    id,
    kind,
    decision?.stream ?? null,
    decision?.revision ?? null,
  ])
  await db.query(sql.type(noRow)`
    insert into process_manager.pending (process_id, kind, stream, revision, next_attempt_at, since)
    select process_id, kind, stream, revision, ${timestamp(at)}, ${timestamp(at)}
    from ${sql.unnest(rows, ['text', 'text', 'text', 'int8'])}
      as begun (process_id, kind, stream, revision)
    on conflict do nothing`)
}

const checkpointRow = z.object({ position: z.number(), log: z.string().nullable() })

const COLUMNS = sql.fragment`process_id, kind, stream, revision, step, attempts, next_attempt_at, last_error, since`

const pendingRow = z.object({
  process_id: z.string(),
  kind: z.string(),
  stream: z.string().nullable(),
  revision: z.number().nullable(),
  step: z.string(),
  attempts: z.number(),
  next_attempt_at: z.date(),
  last_error: z.string(),
  since: z.date(),
})

const pendingOfRow = (row: z.output<typeof pendingRow>): PendingWorkflow => ({
  id: row.process_id,
  kind: row.kind,
  decision: row.stream === null ? null : { stream: row.stream, revision: row.revision ?? 0 },
  step: row.step,
  attempts: row.attempts,
  since: row.since.getTime(),
  nextAttemptAt: row.next_attempt_at.getTime(),
  lastError: row.last_error,
})
