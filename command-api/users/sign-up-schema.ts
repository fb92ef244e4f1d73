import type { Migration } from '../migration.ts'

/** The columns that signing up adds to `identity.users`. */
export const signUpMigrations: readonly Migration[] = [
  {
    id: 'sign-up-0001-invitations-and-emails',
    sql: `
      -- What the invitation was worth when the user signed up; null for whom nobody invited.
      alter table identity.users
        add column invitee_reward bigint,
        add column inviter_reward bigint,
        -- The e-mail in lower case, once its owner has shown that it is theirs: one user alone can do that. E-mails that
        -- others vouch for (OAuth) may be those of several users.
        add column own_email text unique;
      drop index identity.users_email;
      create index users_email on identity.users (lower(email collate "C")) where email <> '';
    `,
  },
]
