import type { Migration } from '../migration.ts'

/** Notices on their way to people: a source table, since its rows are not delivered yet. */
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
  {
    id: 'notifications-0002-delivery',
    sql: `
      alter table identity.notifications
        -- JSON {title, content, values} for readers of English; null = they get the Chinese text.
        add column english text,
        -- 'email' or 'webhook': how it was tried last.
        add column channel text,
        -- Begun attempts, one that a crash cut off too.
        add column attempts int not null default 0,
        add column next_attempt_at timestamptz not null default now(),
        -- Why the last attempt failed, why it was given up or skipped.
        add column last_error text not null default '',
        add column given_up_at timestamptz,
        -- Not meant to be sent: no address, or too many of its type.
        add column skipped_at timestamptz;
      drop index identity.notifications_waiting;
      create index notifications_waiting on identity.notifications (next_attempt_at)
        where delivered_at is null and given_up_at is null and skipped_at is null;
      create index notifications_delivered on identity.notifications (user_id, type, delivered_at)
        where delivered_at is not null;
      create index notifications_recorded on identity.notifications (recorded_at);
    `,
  },
  {
    id: 'notifications-0003-quota-warnings',
    sql: `
      create table identity.quota_watch (
        is_only boolean primary key default true check (is_only),
        -- Charges up to here were looked at.
        position bigint not null
      );
      create table identity.quota_warnings (
        user_id bigint primary key,
        warned_at timestamptz not null
      );
    `,
  },
  {
    id: 'notifications-0004-timeline',
    sql: `
      -- The timeline in which "position" was reached; null in a row that is older than this column.
      alter table identity.quota_watch add column log text;
    `,
  },
]
