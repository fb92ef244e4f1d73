import type { Position } from '@tollgate/domain/event.ts'
import { type LogId, logId } from '@tollgate/domain/ids.ts'
import type { FollowedTo } from '@tollgate/domain/timeline/timelines.ts'
import type { Pool } from 'pg'
import { inTransaction } from '../in-transaction.ts'
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

export const quotaWarningRows = (pool: Pool): QuotaWarningTable => ({
  async checkpoint(initial) {
    await pool.query(
      `insert into identity.quota_watch (position, log) values ($1, $2) on conflict do nothing`,
      [initial.position, initial.log],
    )
    const { rows } = await pool.query<{
      readonly position: string | number
      readonly log: string | null
    }>('select position, log from identity.quota_watch')
    const [row] = rows
    if (row === undefined) return initial
    return { position: Number(row.position), log: row.log === null ? null : logId(row.log) }
  },
  async advance(from, { position, log }) {
    await pool.query(
      `update identity.quota_watch set position = $1, log = $2
       where log is not distinct from $3 and (log is distinct from $2 or position < $1)`,
      [position, log, from],
    )
  },
  async below(users, usualThreshold, notWarnedSince) {
    const { rows } = await pool.query<{ readonly id: string | number; readonly setting: string }>(
      // Most users have no settings and enough quota: they need no look.
      `select u.id, u.setting from unnest($1::bigint[], $2::bigint[]) as charged (id, posted)
       join identity.users u on u.id = charged.id and u.deleted_at is null
       left join identity.quota_warnings w on w.user_id = u.id and w.warned_at > $4
       where w.user_id is null and (u.setting <> '' or charged.posted < $3)`,
      [
        users.map(({ userId }) => userId),
        users.map(({ posted }) => posted),
        usualThreshold,
        new Date(notWarnedSince),
      ],
    )
    const thresholds = new Map(
      rows.map(({ id, setting }) => [
        Number(id),
        userSetting(setting).quotaWarningThreshold ?? usualThreshold,
      ]),
    )
    return users.filter(({ userId, posted }) => posted < (thresholds.get(userId) ?? -Infinity))
  },
  warn: (notice, at, notWarnedSince) =>
    inTransaction(pool, async (client) => {
      const { rowCount } = await client.query(
        `insert into identity.quota_warnings as w (user_id, warned_at) values ($1, $2)
         on conflict (user_id) do update set warned_at = excluded.warned_at
         where w.warned_at <= $3`,
        [notice.userId, new Date(at), new Date(notWarnedSince)],
      )
      if (rowCount === 0) return false
      await notificationOutbox(client, { now: () => at }).notify(notice)
      return true
    }),
})
