import type { Pool } from 'pg'
import { type TaskId, taskId } from '@tollgate/domain/ids.ts'
import type { Clock } from '@tollgate/domain/ports/clock.ts'
import type { TaskContent } from '../http-contract/task-content.ts'
import type { TaskSubmission } from '@tollgate/domain/task/events.ts'
import { foreignText, storableText } from '@tollgate/domain/text.ts'

/** A row whose event is not stored yet, or that upstream named once more. */
export interface TaskPayload {
  readonly id: TaskId
  readonly submission: TaskSubmission
  readonly isPending: boolean
  readonly createdAt: Date
}

/** Content that people asked for and got by tasks; the course of tasks is events. Also allocates task ids. */
export interface TaskPayloads {
  /**
   * Adds a pending row, unless this channel's upstream named this task before: then that row is answered and nothing
   * changed.
   */
  insert(
    submission: TaskSubmission,
    content: Partial<TaskContent>,
  ): Promise<{ readonly isNew: boolean; readonly payload: TaskPayload }>
  /** Changes the given fields; nothing for a user who was erased. */
  update(id: TaskId, content: Partial<TaskContent>): Promise<void>
  find(id: TaskId): Promise<TaskPayload | null>
  /** TaskSubmitted is stored. */
  confirm(id: TaskId): Promise<void>
  /** Takes back a pending row whose charge never came. */
  remove(id: TaskId): Promise<void>
  /** Removes everything personal from the rows of a deleted user. */
  forget(user: number): Promise<void>
  /** Rows that are pending for so long, oldest first, at most `limit`. */
  pendingFor(seconds: number, limit: number): Promise<readonly TaskPayload[]>
  contents(ids: readonly number[]): Promise<ReadonlyMap<number, TaskContent>>
}

const COLUMNS = {
  prompt: 'prompt',
  promptEn: 'prompt_en',
  description: 'description',
  state: 'state',
  imageUrl: 'image_url',
  failReason: 'fail_reason',
  buttons: 'buttons',
  properties: 'properties',
  data: 'data',
} as const satisfies Record<keyof TaskContent, string>
const FIELDS = Object.keys(COLUMNS) as ReadonlyArray<keyof TaskContent>

/** Upstreams name tasks by numbers and UUIDs; PostgreSQL refuses index entries over 2,700 bytes. */
const NAME_LENGTH_MAX = 255
/** Longest text kept of each, in characters: upstream's raw data of a song is some kilobytes. */
const TEXT_LENGTH_MAX = 1_000_000

/** Task payloads in `identity.task_payloads`. */
export function taskPayloads(pool: Pool, clock: Pick<Clock, 'now'>): TaskPayloads {
  const run = async (sql: string, ...values: readonly unknown[]): Promise<void> => {
    await pool.query(sql, [...values])
  }
  const rows = async (sql: string, ...values: readonly unknown[]): Promise<readonly Row[]> =>
    (await pool.query<Row>(sql, [...values])).rows

  return {
    async insert(submission, content) {
      const { user, platform, channel, upstreamId } = submission
      const name = foreignText(upstreamId, NAME_LENGTH_MAX)
      const written = { ...submission, upstreamId: name }
      const [added] = await rows(
        `insert into identity.task_payloads
           (user_id, platform, channel_id, upstream_id, submission, created_at, ${FIELDS.map((field) => COLUMNS[field]).join(', ')})
         values ($1, $2, $3, $4, $5, $6, ${FIELDS.map((_, index) => `$${index + 7}`).join(', ')})
         on conflict (platform, channel_id, upstream_id) do nothing returning ${ROW}`,
        user,
        platform,
        channel,
        name,
        JSON.stringify(written),
        new Date(clock.now()),
        ...FIELDS.map((field) => kept(field, content[field] ?? '')),
      )
      if (added !== undefined) return { isNew: true, payload: payloadOf(added) }
      const [present] = await rows(
        `select ${ROW} from identity.task_payloads
         where platform = $1 and channel_id = $2 and upstream_id = $3`,
        platform,
        channel,
        name,
      )
      // Taken back between the two statements: the caller has to submit again from the beginning.
      if (present === undefined) throw new TaskVanished(name)
      return { isNew: false, payload: payloadOf(present) }
    },
    async update(id, content) {
      const changed = FIELDS.filter((field) => content[field] !== undefined)
      if (changed.length === 0) return
      const assignments = changed.map((field, index) => `${COLUMNS[field]} = $${index + 2}`)
      await run(
        `update identity.task_payloads set ${assignments.join(', ')}
         where id = $1 and forgotten_at is null`,
        id,
        ...changed.map((field) => kept(field, content[field] ?? '')),
      )
    },
    async find(id) {
      const [row] = await rows(`select ${ROW} from identity.task_payloads where id = $1`, id)
      return row === undefined ? null : payloadOf(row)
    },
    confirm: (id) => run('update identity.task_payloads set is_pending = false where id = $1', id),
    remove: (id) => run('delete from identity.task_payloads where id = $1 and is_pending', id),
    forget: (user) =>
      run(
        `update identity.task_payloads
         set ${FIELDS.map((field) => `${COLUMNS[field]} = ''`).join(', ')}, forgotten_at = $2
         where user_id = $1 and forgotten_at is null`,
        user,
        new Date(clock.now()),
      ),
    async pendingFor(seconds, limit) {
      const found = await rows(
        `select ${ROW} from identity.task_payloads
         where is_pending and created_at <= $1 order by created_at limit $2`,
        new Date(clock.now() - seconds * 1000),
        limit,
      )
      return found.map(payloadOf)
    },
    async contents(ids) {
      const { rows: found } = await pool.query<ContentRow>(
        `select id, ${FIELDS.map((field) => `${COLUMNS[field]} as "${field}"`).join(', ')}
         from identity.task_payloads where id = any($1::bigint[])`,
        [ids],
      )
      return new Map(found.map(({ id, ...content }) => [Number(id), content]))
    },
  }
}

/** A task's row was taken back while it was named once more. */
export class TaskVanished extends Error {
  readonly code = 'TASK_VANISHED'
  readonly retryable = true
  constructor(upstreamId: string) {
    super(`the row of task ${upstreamId} was taken back meanwhile`)
    this.name = 'TaskVanished'
  }
}

interface Row {
  readonly id: string | number
  readonly submission: string
  readonly is_pending: boolean
  readonly created_at: Date
}

type ContentRow = TaskContent & { readonly id: string | number }

const ROW = 'id, submission, is_pending, created_at'

const payloadOf = (row: Row): TaskPayload => ({
  id: taskId(Number(row.id)),
  submission: JSON.parse(row.submission) as TaskSubmission,
  isPending: row.is_pending,
  createdAt: row.created_at,
})

/** A text as it is kept. JSON that is none, or too long to be kept whole, would break its readers: none is kept. */
function kept(field: keyof TaskContent, text: string): string {
  if (!JSON_FIELDS.has(field)) return storableText(text.slice(0, TEXT_LENGTH_MAX))
  return text.length <= TEXT_LENGTH_MAX && isJson(text) ? storableText(text) : ''
}

const JSON_FIELDS: ReadonlySet<keyof TaskContent> = new Set(['buttons', 'properties', 'data'])

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    // Upstream's own mistake: the task goes on without it.
    return false
  }
}
