import { type TaskId, taskId } from '@tollgate/domain/ids.ts'
import type { Clock } from '@tollgate/domain/ports/clock.ts'
import type { TaskContent } from '../http-contract/task-content.ts'
import type { TaskSubmission } from '@tollgate/domain/task/events.ts'
import { foreignText, storableText } from '@tollgate/domain/text.ts'
import { type CommonQueryMethods, type FragmentSqlToken, sql } from 'slonik'
import { z } from 'zod'
import { noRow, timestamp } from '../statements.ts'

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
export function taskPayloads(db: CommonQueryMethods, clock: Pick<Clock, 'now'>): TaskPayloads {
  return {
    async insert(submission, content) {
      const { user, platform, channel, upstreamId } = submission
      const name = foreignText(upstreamId, NAME_LENGTH_MAX)
      const written = { ...submission, upstreamId: name }
      const added = await db.maybeOne(sql.type(payloadRow)`
        insert into identity.task_payloads
          (user_id, platform, channel_id, upstream_id, submission, created_at,
           ${sql.join(FIELDS.map(columnOf), sql.fragment`, `)})
        values (${user}, ${platform}, ${channel}, ${name}, ${JSON.stringify(written)},
          ${timestamp(clock.now())},
          ${sql.join(
            FIELDS.map((field) => kept(field, content[field] ?? '')),
            sql.fragment`, `,
          )})
        on conflict (platform, channel_id, upstream_id) do nothing returning ${PAYLOAD_COLUMNS}`)
      if (added !== null) return { isNew: true, payload: payloadOf(added) }
      const present = await db.maybeOne(sql.type(payloadRow)`
        select ${PAYLOAD_COLUMNS} from identity.task_payloads
        where platform = ${platform} and channel_id = ${channel} and upstream_id = ${name}`)
      // Taken back between the two statements: the caller has to submit again from the beginning.
      if (present === null) throw new TaskVanished(name)
      return { isNew: false, payload: payloadOf(present) }
    },
    async update(id, content) {
      const changed = FIELDS.filter((field) => content[field] !== undefined)
      if (changed.length === 0) return
      const assignments = changed.map(
        (field) => sql.fragment`${columnOf(field)} = ${kept(field, content[field] ?? '')}`,
      )
      await db.query(sql.type(noRow)`
        update identity.task_payloads set ${joined(assignments)}
        where id = ${id} and forgotten_at is null`)
    },
    async find(id) {
      const row = await db.maybeOne(sql.type(payloadRow)`
        select ${PAYLOAD_COLUMNS} from identity.task_payloads where id = ${id}`)
      return row && payloadOf(row)
    },
    async confirm(id) {
      await db.query(sql.type(noRow)`
        update identity.task_payloads set is_pending = false where id = ${id}`)
    },
    async remove(id) {
      await db.query(sql.type(noRow)`
        delete from identity.task_payloads where id = ${id} and is_pending`)
    },
    async forget(user) {
      const emptied = FIELDS.map((field) => sql.fragment`${columnOf(field)} = ''`)
      await db.query(sql.type(noRow)`
        update identity.task_payloads
        set ${joined(emptied)}, forgotten_at = ${timestamp(clock.now())}
        where user_id = ${user} and forgotten_at is null`)
    },
    async pendingFor(seconds, limit) {
      const found = await db.any(sql.type(payloadRow)`
        select ${PAYLOAD_COLUMNS} from identity.task_payloads
        where is_pending and created_at <= ${timestamp(clock.now() - seconds * 1000)}
        order by created_at limit ${limit}`)
      return found.map(payloadOf)
    },
    async contents(ids) {
      const named = FIELDS.map(
        (field) => sql.fragment`${columnOf(field)} as ${sql.identifier([field])}`,
      )
      const found = await db.any(sql.type(contentRow)`
        select id, ${joined(named)} from identity.task_payloads
        where id = any(${sql.array(ids, 'int8')})`)
      return new Map(found.map(({ id, ...content }) => [id, content]))
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

const columnOf = (field: keyof TaskContent) => sql.identifier([COLUMNS[field]])
const joined = (members: readonly FragmentSqlToken[]) => sql.join(members, sql.fragment`, `)

const PAYLOAD_COLUMNS = sql.fragment`id, submission, is_pending, created_at`
const payloadRow = z.object({
  id: z.number(),
  submission: z.string(),
  is_pending: z.boolean(),
  created_at: z.date(),
})

const contentRow = z.object({
  id: z.number(),
  prompt: z.string(),
  promptEn: z.string(),
  description: z.string(),
  state: z.string(),
  imageUrl: z.string(),
  failReason: z.string(),
  buttons: z.string(),
  properties: z.string(),
  data: z.string(),
} satisfies Record<'id' | keyof TaskContent, z.ZodType>)

const payloadOf = (row: z.output<typeof payloadRow>): TaskPayload => ({
  id: taskId(row.id),
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
