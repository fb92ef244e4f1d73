import type { Migration } from '../migration.ts'

/**
 * Content that people asked for and got by a task: personal, so a source that is backed up and can be forgotten. A row
 * is written when upstream has accepted the task and before it is charged; `is_pending` until TaskSubmitted is stored.
 */
export const taskMigrations: readonly Migration[] = [
  {
    id: 'tasks-0001-payloads',
    sql: `
      create table identity.task_payloads (
        id bigint generated always as identity primary key,
        user_id bigint not null,
        platform text not null,
        channel_id bigint not null,
        upstream_id text not null,
        -- JSON of what TaskSubmitted will say: a crash before that event is finished from here.
        submission text not null,
        is_pending boolean not null default true,
        prompt text not null default '',
        prompt_en text not null default '',
        description text not null default '',
        state text not null default '',
        image_url text not null default '',
        fail_reason text not null default '',
        -- JSON texts, '' = none.
        buttons text not null default '',
        properties text not null default '',
        data text not null default '',
        created_at timestamptz not null,
        -- Since then nothing personal is kept here.
        forgotten_at timestamptz,
        unique (platform, channel_id, upstream_id)
      );
      create index task_payloads_pending on identity.task_payloads (created_at) where is_pending;
      create index task_payloads_user on identity.task_payloads (user_id);
    `,
  },
]
