import type { Pool, PoolClient } from 'pg'
import type { Clock } from '@tollgate/domain/ports/clock.ts'
import type { Notifier } from './notifier.ts'

/**
 * Records notices in `identity.notifications`, once each, for the sender (deliver-notices.ts); `onRecorded` wakes it so
 * that it need not wait.
 */
export const notificationOutbox = (
  db: Pool | PoolClient,
  clock: Pick<Clock, 'now'>,
  onRecorded: () => void = () => undefined,
): Notifier => ({
  async notify({ userId, type, causationId, title, content, values, english, at }) {
    await db.query(
      `insert into identity.notifications
         (user_id, type, causation_id, title, content, content_values, english, happened_at,
          recorded_at, next_attempt_at)
       values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $9)
       on conflict (causation_id, user_id, type) do nothing`,
      [
        userId,
        type,
        causationId,
        title,
        content,
        JSON.stringify(values),
        english === undefined ? null : JSON.stringify(english),
        new Date(at),
        new Date(clock.now()),
      ],
    )
    onRecorded()
  },
})
