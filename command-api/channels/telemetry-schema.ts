import type { Migration } from '../migration.ts'

/**
 * Tests of channels and readings of their balances that changed nothing about a channel (decision 31): facts that no
 * event says, so a source that is backed up. Times in unix milliseconds. A test with `is_logged` has a row in the usage
 * log. Kept for ninety days, and the newest of each channel for good (projections/channels/telemetry.ts).
 */
export const channelTelemetryMigrations: readonly Migration[] = [
  {
    id: 'channels-0001-telemetry',
    sql: `
      create schema telemetry;
      create table telemetry.channel_tests (
        id bigint generated always as identity primary key,
        test_id uuid not null unique,
        channel_id bigint not null,
        at bigint not null,
        model text not null,
        succeeded boolean not null,
        duration_ms double precision not null,
        -- '' on success.
        error text not null,
        prompt_tokens bigint,
        completion_tokens bigint,
        -- Null for a scheduled test.
        tested_by bigint,
        is_logged boolean not null
      );
      create index channel_tests_newest on telemetry.channel_tests (channel_id, at desc);
      -- US dollars as upstream reports them, decimal text.
      create table telemetry.channel_balances (
        id bigint generated always as identity primary key,
        channel_id bigint not null,
        at bigint not null,
        balance_usd text not null
      );
      create index channel_balances_newest on telemetry.channel_balances (channel_id, at desc);
    `,
  },
  {
    id: 'channels-0002-telemetry-age',
    sql: `
      -- By which those that are too old are found.
      create index channel_tests_age on telemetry.channel_tests (at);
      create index channel_balances_age on telemetry.channel_balances (at);
    `,
  },
]
