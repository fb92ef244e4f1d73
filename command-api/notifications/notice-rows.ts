import { type CommonQueryMethods, sql } from 'slonik'
import { z } from 'zod'
import { changedRows, counted, noRow, timestamp } from '../statements.ts'
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

export function noticeRows(db: CommonQueryMethods): NoticeTable {
  return {
    async due(at, limit) {
      const rows = await db.any(sql.type(noticeRow)`
        select ${COLUMNS} from identity.notifications
        where ${IS_WAITING} and next_attempt_at <= ${timestamp(at)}
        order by next_attempt_at, id limit ${limit}`)
      return rows.map(noticeOfRow)
    },
    async claim({ id, attempts }, channel, until) {
      const claimed = await changedRows(
        db,
        sql.type(noRow)`
          update identity.notifications
          set attempts = attempts + 1, channel = ${channel}, next_attempt_at = ${timestamp(until)}
          where id = ${id} and attempts = ${attempts} and ${IS_WAITING}`,
      )
      return claimed === 1
    },
    async postpone(id, error, nextAttemptAt) {
      await db.query(sql.type(noRow)`
        update identity.notifications
        set last_error = ${error}, next_attempt_at = ${timestamp(nextAttemptAt)}
        where id = ${id} and ${IS_WAITING}`)
    },
    async end(id, status, at, why) {
      await db.query(sql.type(noRow)`
        update identity.notifications
        set ${sql.identifier([COLUMN_OF_END[status]])} = ${timestamp(at)}, last_error = ${why}
        where id = ${id} and ${IS_WAITING}`)
    },
    deliveredSince: (userId, type, since) =>
      db.oneFirst(sql.type(counted)`
        select count(*) as count from identity.notifications
        where user_id = ${userId} and type = ${type} and delivered_at > ${timestamp(since)}`),
    async page(search, { offset, limit }) {
      const notices = sql.fragment`identity.notifications where ${matching(search)}`
      const rows = await db.any(sql.type(noticeRow)`
        select ${COLUMNS} from ${notices} order by id desc offset ${offset} limit ${limit}`)
      const total = await db.oneFirst(sql.type(counted)`select count(*) as count from ${notices}`)
      return { notices: rows.map(noticeOfRow), total }
    },
    async below(search, before, limit) {
      const isBelow = before !== null && sql.fragment`id < ${before}`
      const rows = await db.any(sql.type(noticeRow)`
        select ${COLUMNS} from identity.notifications
        where ${sql.and([matching(search), isBelow])} order by id desc limit ${limit}`)
      return rows.map(noticeOfRow)
    },
    async retry(id, at) {
      const retried = await changedRows(
        db,
        sql.type(noRow)`
          update identity.notifications
          set attempts = 0, given_up_at = null, skipped_at = null, last_error = '',
            next_attempt_at = ${timestamp(at)}
          where id = ${id} and (given_up_at is not null or skipped_at is not null)`,
      )
      return retried === 1
    },
    async removeEndedBefore(moment) {
      await db.query(sql.type(noRow)`
        delete from identity.notifications where ${ENDED_AT} < ${timestamp(moment)}`)
    },
  }
}

const IS_WAITING = sql.fragment`delivered_at is null and given_up_at is null and skipped_at is null`
const ENDED_AT = sql.fragment`coalesce(delivered_at, given_up_at, skipped_at)`
const STATUS = sql.fragment`case when delivered_at is not null then 'delivered'
  when given_up_at is not null then 'given-up'
  when skipped_at is not null then 'skipped' else 'waiting' end`
const COLUMN_OF_END = {
  delivered: 'delivered_at',
  'given-up': 'given_up_at',
  skipped: 'skipped_at',
} as const
const COLUMNS = sql.fragment`id, user_id, type, causation_id, title, content, content_values, english, happened_at,
  recorded_at, ${STATUS} as status, channel, attempts, next_attempt_at, last_error, ${ENDED_AT} as ended_at,
  (select role from identity.users where users.id = notifications.user_id) as user_role`

const matching = ({ status, userId }: NoticeSearch) =>
  sql.and([
    status !== null && sql.fragment`${STATUS} = ${status}`,
    userId !== 0 && sql.fragment`user_id = ${userId}`,
  ])

const jsonText = <Type extends z.ZodType>(type: Type) =>
  z
    .string()
    .transform((text): unknown => JSON.parse(text))
    .pipe(type)
const texts = z.array(z.string())

const noticeRow = z.object({
  id: z.number(),
  user_id: z.number(),
  type: z.string(),
  causation_id: z.string(),
  title: z.string(),
  content: z.string(),
  content_values: jsonText(texts),
  english: jsonText(z.object({ title: z.string(), content: z.string(), values: texts })).nullable(),
  happened_at: z.date(),
  recorded_at: z.date(),
  status: z.enum(['waiting', 'delivered', 'given-up', 'skipped']),
  channel: z.enum(['email', 'webhook']).nullable(),
  attempts: z.number(),
  next_attempt_at: z.date(),
  last_error: z.string(),
  ended_at: z.date().nullable(),
  user_role: z.number().nullable(),
})

const noticeOfRow = (row: z.output<typeof noticeRow>): StoredNotice => ({
  id: row.id,
  userId: row.user_id,
  type: row.type,
  causationId: row.causation_id,
  title: row.title,
  content: row.content,
  values: row.content_values,
  english: row.english,
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
