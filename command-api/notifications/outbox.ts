import type { Clock } from '@tollgate/domain/ports/clock.ts'
import { type CommonQueryMethods, sql } from 'slonik'
import { noRow, timestamp } from '../statements.ts'
import type { Notifier } from './notifier.ts'

/**
 * Records notices in `identity.notifications`, once each, for the sender (deliver-notices.ts); `onRecorded` wakes it so
 * that it need not wait.
 */
export const notificationOutbox = (
  db: CommonQueryMethods,
  clock: Pick<Clock, 'now'>,
  onRecorded: () => void = () => undefined,
): Notifier => ({
  async notify({ userId, type, causationId, title, content, values, english, at }) {
    const now = timestamp(clock.now())
    await db.query(sql.type(noRow)`
      insert into identity.notifications
        (user_id, type, causation_id, title, content, content_values, english, happened_at,
         recorded_at, next_attempt_at)
      values (${userId}, ${type}, ${causationId}, ${title}, ${content}, ${JSON.stringify(values)},
        ${english === undefined ? null : JSON.stringify(english)}, ${timestamp(at)}, ${now}, ${now})
      on conflict (causation_id, user_id, type) do nothing`)
    onRecorded()
  },
})
