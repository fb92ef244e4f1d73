import type { Pool } from 'pg'
import type { Clock } from '@tollgate/domain/ports/clock.ts'
import type { Notifier } from './notifier.ts'

/** Records notices in `identity.notifications`, once each; sending them is somebody else's work. */
export const notificationOutbox = (pool: Pool, clock: Pick<Clock, 'now'>): Notifier => ({
  async notify({ userId, type, causationId, title, content, values, at }) {
    await pool.query(
      `insert into identity.notifications
         (user_id, type, causation_id, title, content, content_values, happened_at, recorded_at)
       values ($1, $2, $3, $4, $5, $6, $7, $8)
       on conflict (causation_id, user_id, type) do nothing`,
      [
        userId,
        type,
        causationId,
        title,
        content,
        JSON.stringify(values),
        new Date(at),
        new Date(clock.now()),
      ],
    )
  },
})
