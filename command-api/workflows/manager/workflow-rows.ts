import type { Pool, PoolClient } from 'pg'
import { logId } from '@tollgate/domain/ids.ts'
import { inTransaction } from '../../in-transaction.ts'
import type { BegunWorkflow, PendingWorkflow, WorkflowTable } from './workflow-table.ts'

/** The process manager's memory in `process_manager.checkpoint` and `process_manager.pending`. */
export function workflowRows(pool: Pool): WorkflowTable {
  return {
    async checkpoint(initial) {
      await pool.query(
        `insert into process_manager.checkpoint (position, log) values ($1, $2) on conflict do nothing`,
        [initial.position, initial.log],
      )
      const { rows } = await pool.query<{
        readonly position: string | number
        readonly log: string | null
      }>(`select position, log from process_manager.checkpoint`)
      const [row] = rows
      if (row === undefined) return initial
      return { position: Number(row.position), log: row.log === null ? null : logId(row.log) }
    },
    advance: ({ from, to, log }, begun, at) =>
      inTransaction(pool, async (client) => {
        const { rowCount } = await client.query(
          `update process_manager.checkpoint set position = $2, log = $3, updated_at = now()
           where position = $1`,
          [from, to, log],
        )
        if (rowCount === 0) return false
        await note(client, begun, at)
        return true
      }),
    note: (begun, at) => note(pool, begun, at),
    async due(at, limit) {
      const { rows } = await pool.query<ProcessRow>(
        `select ${COLUMNS} from process_manager.pending where next_attempt_at <= $1
         order by next_attempt_at, process_id limit $2`,
        [new Date(at), limit],
      )
      return rows.map(processOfRow)
    },
    async decided() {
      const { rows } = await pool.query<ProcessRow>(
        `select ${COLUMNS} from process_manager.pending where stream is not null`,
      )
      return rows.map(processOfRow)
    },
    async postpone({ id, kind }, { step, error, nextAttemptAt }) {
      await pool.query(
        `update process_manager.pending
         set step = $3, last_error = $4, next_attempt_at = $5, attempts = attempts + 1
         where process_id = $1 and kind = $2`,
        [id, kind, step, error, new Date(nextAttemptAt)],
      )
    },
    async finish({ id, kind }) {
      await pool.query(`delete from process_manager.pending where process_id = $1 and kind = $2`, [
        id,
        kind,
      ])
    },
    async list(limit) {
      const { rows } = await pool.query<ProcessRow & { readonly total: string | number }>(
        `select ${COLUMNS}, count(*) over () as total from process_manager.pending
         order by attempts desc, since, process_id limit $1`,
        [limit],
      )
      return { processes: rows.map(processOfRow), total: Number(rows[0]?.total ?? 0) }
    },
    async countFailing(attempts) {
      const { rows } = await pool.query<{ readonly count: string | number }>(
        `select count(*) as count from process_manager.pending where attempts >= $1`,
        [attempts],
      )
      return Number(rows[0]?.count ?? 0)
    },
    async retry(id, at) {
      const { rowCount } = await pool.query(
        `update process_manager.pending set next_attempt_at = $2 where process_id = $1`,
        [id, new Date(at)],
      )
      return rowCount !== 0
    },
  }
}

async function note(
  db: Pool | PoolClient,
  begun: readonly BegunWorkflow[],
  at: number,
): Promise<void> {
  if (begun.length === 0) return
  await db.query(
    `insert into process_manager.pending (process_id, kind, stream, revision, next_attempt_at, since)
     select process_id, kind, stream, revision, $5, $5
     from unnest($1::text[], $2::text[], $3::text[], $4::bigint[]) as begun (process_id, kind, stream, revision)
     on conflict do nothing`,
    [
      begun.map(({ id }) => id),
      begun.map(({ kind }) => kind),
      begun.map(({ decision }) => decision?.stream ?? null),
      begun.map(({ decision }) => decision?.revision ?? null),
      new Date(at),
    ],
  )
}

const COLUMNS = `process_id, kind, stream, revision, step, attempts, next_attempt_at, last_error, since`

interface ProcessRow {
  readonly process_id: string
  readonly kind: string
  readonly stream: string | null
  readonly revision: string | number | null
  readonly step: string
  readonly attempts: number
  readonly next_attempt_at: Date
  readonly last_error: string
  readonly since: Date
}

const processOfRow = (row: ProcessRow): PendingWorkflow => ({
  id: row.process_id,
  kind: row.kind,
  decision:
    row.stream === null ? null : { stream: row.stream, revision: Number(row.revision ?? 0) },
  step: row.step,
  attempts: row.attempts,
  since: row.since.getTime(),
  nextAttemptAt: row.next_attempt_at.getTime(),
  lastError: row.last_error,
})
