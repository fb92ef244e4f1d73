import type { Position } from '@tollgate/domain/event.ts'
import { type LogId, logId } from '@tollgate/domain/ids.ts'
import type { FollowedTo } from '@tollgate/domain/timeline/timelines.ts'
import { type CommonQueryMethods, sql } from 'slonik'
import { z } from 'zod'
import { changedRows, noRow, timestamp } from '../statements.ts'
import { userSetting } from '../users/user-setting.ts'
import type { Notice } from './notifier.ts'
import { notificationOutbox } from './outbox.ts'

/** An account that was charged, as much of it as the warning needs. */
export interface ChargedUser {
  readonly userId: number
  readonly posted: number
}

/** How far charges were looked at, and when each user was last warned. Times are unix milliseconds. */
export interface QuotaWarningTable {
  /** Made at `initial` when it has never been anywhere. */
  checkpoint(initial: FollowedTo): Promise<FollowedTo>
  /**
   * Moves the checkpoint forwards, or to the place in another timeline where that has to be looked at from. Nothing happens
   * when it is not in the timeline `from` any more: another process has moved it.
   */
  advance(
    from: FollowedTo['log'],
    to: { readonly position: Position; readonly log: LogId },
  ): Promise<void>
  /** Those whose balance is below their own threshold, or below this one, and who were not warned since a moment. */
  below<User extends ChargedUser>(
    users: readonly User[],
    usualThreshold: number,
    notWarnedSince: number,
  ): Promise<readonly User[]>
  /** Hands a notice over unless the user was warned after a moment; both or neither. */
  warn(notice: Notice, at: number, notWarnedSince: number): Promise<boolean>
}

export const quotaWarningRows = (db: CommonQueryMethods): QuotaWarningTable => ({
  async checkpoint(initial) {
    await db.query(sql.type(noRow)`
      insert into identity.quota_watch (position, log)
      values (${initial.position}, ${initial.log}) on conflict do nothing`)
    const row = await db.maybeOne(sql.type(watchRow)`
      select position, log from identity.quota_watch`)
    if (row === null) return initial
    return { position: row.position, log: row.log === null ? null : logId(row.log) }
  },
  async advance(from, { position, log }) {
    await db.query(sql.type(noRow)`
      update identity.quota_watch set position = ${position}, log = ${log}
      where log is not distinct from ${from}
        and (log is distinct from ${log} or position < ${position})`)
  },
  async below(users, usualThreshold, notWarnedSince) {
    const charged = users.map(({ userId, posted }) => [userId, posted])
    // Most users have no settings and enough quota: they need no look.
    const rows = await db.any(sql.type(settingRow)`
      select u.id, u.setting
      from ${sql.unnest(charged, ['int8', 'int8'])} as charged (id, posted)
      join identity.users u on u.id = charged.id and u.deleted_at is null
      left join identity.quota_warnings w
        on w.user_id = u.id and w.warned_at > ${timestamp(notWarnedSince)}
      where w.user_id is null and (u.setting <> '' or charged.posted < ${usualThreshold})`)
    const thresholds = new Map(
      rows.map(({ id, setting }) => [
        id,
        userSetting(setting).quotaWarningThreshold ?? usualThreshold,
      ]),
    )
    return users.filter(({ userId, posted }) => posted < (thresholds.get(userId) ?? -Infinity))
  },
  warn: (notice, at, notWarnedSince) =>
    db.transaction(async (transaction) => {
      const noted = await changedRows(
        transaction,
        sql.type(noRow)`
          insert into identity.quota_warnings as w (user_id, warned_at)
          values (${notice.userId}, ${timestamp(at)})
          on conflict (user_id) do update set warned_at = excluded.warned_at
          where w.warned_at <= ${timestamp(notWarnedSince)}`,
      )
      if (noted === 0) return false
      await notificationOutbox(transaction, { now: () => at }).notify(notice)
      return true
    }),
})

const watchRow = z.object({ position: z.number(), log: z.string().nullable() })
const settingRow = z.object({ id: z.number(), setting: z.string() })
