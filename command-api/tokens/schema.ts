import type { Migration } from '../migration.ts'

export const tokenMigrations: readonly Migration[] = [
  {
    id: 'tokens-0001-model-list',
    sql: `
      -- The list of models in the token's form, also while it does not limit: then no event says it.
      alter table secrets.tokens add column model_list text[] not null default '{}';
    `,
  },
]
