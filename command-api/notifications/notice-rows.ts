import type { Pool } from 'pg'
import { z } from 'zod'
import type { NoticeText } from './notifier.ts'

/** The state of a notice: it waits (perhaps for another attempt), or has ended in one of three ways. */
export type NoticeStatus = 'waiting' | 'delivered' | 'given-up' | 'skipped'
export type NoticeChannel = 'email' | 'webhook'

/** A notice as it is kept. Times are unix milliseconds. */
export interface StoredNotice extends NoticeText {
  readonly id: number
  readonly userId: number
  readonly type: string
  readonly causationId: string
  readonly english: NoticeText | null
  readonly happenedAt: number
  readonly recordedAt: number
  readonly status: NoticeStatus
  /** How it was tried last; null before the first attempt. */
  readonly channel: NoticeChannel | null
  /** Begun attempts. */
  readonly attempts: number
  readonly nextAttemptAt: number
  /** Why it failed, was given up or skipped; '' = nothing went wrong. */
  readonly lastError: string
  readonly endedAt: number | null
  /** Role of the user, as it is now; null for one who is deleted. */
  readonly userRole: number | null
}

/** Which notices; null and 0 match all. */
export interface NoticeSearch {
  readonly status: NoticeStatus | null
  readonly userId: number
}

/** `identity.notifications`, as their sender and their readers see it. */
export interface NoticeTable {
  /** Waiting ones whose time has come, longest due first. */
  due(at: number, limit: number): Promise<readonly StoredNotice[]>
  /**
   * Begins an attempt, which is over for other processes at `until`. False when another process has begun one, or the
   * attempt has ended: then it is not ours to send.
   */
  claim(notice: StoredNotice, channel: NoticeChannel, until: number): Promise<boolean>
  /** After an attempt that failed and is not the last. */
  postpone(id: number, error: string, nextAttemptAt: number): Promise<void>
  end(id: number, status: Exclude<NoticeStatus, 'waiting'>, at: number, why: string): Promise<void>
  /** How many of a type a user got after a moment. */
  deliveredSince(userId: number, type: string, since: number): Promise<number>
  /** Newest first, and how many there are in all. */
  page(
    search: NoticeSearch,
    page: { readonly offset: number; readonly limit: number },
  ): Promise<{ readonly notices: readonly StoredNotice[]; readonly total: number }>
  /** Newest first, with ids below one; null = from the newest on. */
  below(
    search: NoticeSearch,
    before: number | null,
    limit: number,
  ): Promise<readonly StoredNotice[]>
  /** Makes one that was given up or skipped wait again, with all attempts before it; false when there is none. */
  retry(id: number, at: number): Promise<boolean>
  /** Removes notices that ended before a moment. */
  removeEndedBefore(moment: number): Promise<void>
}

export function noticeRows(pool: Pool): NoticeTable {
  return {
    async due(at, limit) {
      const { rows } = await pool.query<NoticeRow>(
        `select ${COLUMNS} from identity.notifications
         where ${IS_WAITING} and next_attempt_at <= $1 order by next_attempt_at, id limit $2`,
        [new Date(at), limit],
      )
      return rows.map(noticeOfRow)
    },
    async claim({ id, attempts }, channel, until) {
      const { rowCount } = await pool.query(
        `update identity.notifications
         set attempts = attempts + 1, channel = $3, next_attempt_at = $4
         where id = $1 and attempts = $2 and ${IS_WAITING}`,
        [id, attempts, channel, new Date(until)],
      )
      return rowCount === 1
    },
    async postpone(id, error, nextAttemptAt) {
      await pool.query(
        `update identity.notifications set last_error = $2, next_attempt_at = $3
         where id = $1 and ${IS_WAITING}`,
        [id, error, new Date(nextAttemptAt)],
      )
    },
    async end(id, status, at, why) {
      await pool.query(
        `update identity.notifications set ${COLUMN_OF_END[status]} = $2, last_error = $3
         where id = $1 and ${IS_WAITING}`,
        [id, new Date(at), why],
      )
    },
    async deliveredSince(userId, type, since) {
      const { rows } = await pool.query<{ readonly count: string | number }>(
        `select count(*) as count from identity.notifications
         where user_id = $1 and type = $2 and delivered_at > $3`,
        [userId, type, new Date(since)],
      )
      return Number(rows[0]?.count ?? 0)
    },
    async page({ status, userId }, { offset, limit }) {
      const matching = `from identity.notifications where ${IS_WANTED}`
      const values = [status ?? '', userId]
      const { rows } = await pool.query<NoticeRow>(
        `select ${COLUMNS} ${matching} order by id desc offset $3 limit $4`,
        [...values, offset, limit],
      )
      const counted = await pool.query<{ readonly total: string | number }>(
        `select count(*) as total ${matching}`,
        values,
      )
      return { notices: rows.map(noticeOfRow), total: Number(counted.rows[0]?.total ?? 0) }
    },
    async below({ status, userId }, before, limit) {
      const { rows } = await pool.query<NoticeRow>(
        `select ${COLUMNS} from identity.notifications
         where ${IS_WANTED} and ($3::bigint is null or id < $3) order by id desc limit $4`,
        [status ?? '', userId, before, limit],
      )
      return rows.map(noticeOfRow)
    },
    async retry(id, at) {
      const { rowCount } = await pool.query(
        `update identity.notifications
         set attempts = 0, given_up_at = null, skipped_at = null, last_error = '',
             next_attempt_at = $2
         where id = $1 and (given_up_at is not null or skipped_at is not null)`,
        [id, new Date(at)],
      )
      return rowCount === 1
    },
    async removeEndedBefore(moment) {
      await pool.query(`delete from identity.notifications where ${ENDED_AT} < $1`, [
        new Date(moment),
      ])
    },
  }
}

const IS_WAITING = 'delivered_at is null and given_up_at is null and skipped_at is null'
const ENDED_AT = 'coalesce(delivered_at, given_up_at, skipped_at)'
const STATUS = `case when delivered_at is not null then 'delivered'
  when given_up_at is not null then 'given-up'
  when skipped_at is not null then 'skipped' else 'waiting' end`
const IS_WANTED = `($1 = '' or ${STATUS} = $1) and ($2::bigint = 0 or user_id = $2)`
const COLUMN_OF_END = {
  delivered: 'delivered_at',
  'given-up': 'given_up_at',
  skipped: 'skipped_at',
} as const
const COLUMNS = `id, user_id, type, causation_id, title, content, content_values, english, happened_at,
  recorded_at, ${STATUS} as status, channel, attempts, next_attempt_at, last_error, ${ENDED_AT} as ended_at,
  (select role from identity.users where users.id = notifications.user_id) as user_role`

interface NoticeRow {
  readonly id: string | number
  readonly user_id: string | number
  readonly type: string
  readonly causation_id: string
  readonly title: string
  readonly content: string
  readonly content_values: string
  readonly english: string | null
  readonly happened_at: Date
  readonly recorded_at: Date
  readonly status: NoticeStatus
  readonly channel: NoticeChannel | null
  readonly attempts: number
  readonly next_attempt_at: Date
  readonly last_error: string
  readonly ended_at: Date | null
  readonly user_role: number | null
}

const texts = z.array(z.string())
const englishText = z.object({ title: z.string(), content: z.string(), values: texts })

const noticeOfRow = (row: NoticeRow): StoredNotice => ({
  id: Number(row.id),
  userId: Number(row.user_id),
  type: row.type,
  causationId: row.causation_id,
  title: row.title,
  content: row.content,
  values: texts.parse(JSON.parse(row.content_values)),
  english: row.english === null ? null : englishText.parse(JSON.parse(row.english)),
  happenedAt: row.happened_at.getTime(),
  recordedAt: row.recorded_at.getTime(),
  status: row.status,
  channel: row.channel,
  attempts: row.attempts,
  nextAttemptAt: row.next_attempt_at.getTime(),
  lastError: row.last_error,
  endedAt: row.ended_at?.getTime() ?? null,
  userRole: row.user_role,
})
