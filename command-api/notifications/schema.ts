import type { Migration } from '@tollgate/domain/ports/migration.ts'

/** Notices on their way to people: a source, as they name what nobody has read yet. */
export const notificationMigrations: readonly Migration[] = [
  {
    id: 'notifications-0001-outbox',
    sql: `
      create table identity.notifications (
        id bigint generated always as identity primary key,
        user_id bigint not null,
        type text not null,
        -- Id of the event that it is about.
        causation_id text not null,
        title text not null,
        content text not null,
        -- JSON array of texts.
        content_values text not null,
        happened_at timestamptz not null,
        recorded_at timestamptz not null,
        -- Null until it has been sent.
        delivered_at timestamptz,
        unique (causation_id, user_id, type)
      );
      create index notifications_waiting on identity.notifications (id) where delivered_at is null;
    `,
  },
]
