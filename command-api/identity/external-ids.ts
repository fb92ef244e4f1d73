import { type CommonQueryMethods, sql } from 'slonik'
import { z } from 'zod'
import type { Migration } from '../migration.ts'
import { changedRows, noRow } from '../statements.ts'
import { UNIQUE_VIOLATION } from './name-conflicts.ts'
import { userStore } from './user-store.ts'
import type { User } from './users.ts'

/** A provider that users sign in with; the field of User that holds their id there. */
export type ExternalIdKind = 'githubId' | 'oidcId' | 'linuxDoId' | 'wechatId' | 'telegramId'

/** A person's id with one provider; never ''. */
export interface ExternalId {
  readonly kind: ExternalIdKind
  readonly id: string
  /** The person who has the id, where the provider may give it to another later on; '' or missing = not told. */
  readonly holder?: string
}

export const COLUMN_OF_EXTERNAL_ID: Readonly<Record<ExternalIdKind, string>> = {
  githubId: 'github_id',
  oidcId: 'oidc_id',
  linuxDoId: 'linux_do_id',
  wechatId: 'wechat_id',
  telegramId: 'telegram_id',
}

/**
 * One id belongs to one user, also when two users bind it or sign up with it at the same moment. A deleted user keeps
 * theirs: signing in with it says that the account is gone, and no other user inherits it.
 */
export const externalIdMigrations: readonly Migration[] = [
  {
    id: 'external-ids-0001-unique',
    sql: Object.values(COLUMN_OF_EXTERNAL_ID)
      .map(
        (column) =>
          `create unique index users_${column} on identity.users (${column}) where ${column} <> '';`,
      )
      .join('\n'),
  },
  {
    id: 'external-ids-0002-github-holder',
    sql: `
      -- GitHub's number of the account that has the login in github_id: a login that was given up can be had by others.
      -- '' = not seen yet.
      alter table identity.users add column github_holder text not null default '';
    `,
  },
]

export interface ExternalIdStore {
  /** The user with this id, deleted and reserved ones too; null when there is none. */
  find(externalId: ExternalId): Promise<User | null>
  /** Gives a user this id instead of the one they had; `gone` when the user has been deleted. */
  bind(userId: number, externalId: ExternalId): Promise<'bound' | 'taken' | 'gone'>
  /**
   * Whether a user's id still belongs to the person who first came with it; notes that person at the first call. True
   * where the provider does not tell.
   */
  isStillOf(userId: number, externalId: ExternalId): Promise<boolean>
  /** One more than the highest id of a user: the number at the end of a new user's name. */
  nextNumber(): Promise<number>
}

/** External ids in `identity.users`. */
export function externalIds(db: CommonQueryMethods): ExternalIdStore {
  const users = userStore(db)
  return {
    async find({ kind, id }) {
      const user = await db.maybeOneFirst(sql.type(z.object({ id: z.number() }))`
        select id from identity.users where ${columnOf(kind)} = ${id}`)
      return user === null ? null : users.row(user)
    },
    async bind(userId, { kind, id, holder = '' }) {
      try {
        const bound = await changedRows(
          db,
          sql.type(noRow)`
            update identity.users set ${columnOf(kind)} = ${id},
              github_holder = ${kind === 'githubId' ? holder : sql.fragment`github_holder`}
            where id = ${userId} and deleted_at is null`,
        )
        return bound === 1 ? 'bound' : 'gone'
      } catch (error) {
        if (isExternalIdTaken(error)) return 'taken'
        throw error
      }
    },
    async isStillOf(userId, { kind, holder = '' }) {
      if (kind !== 'githubId' || holder === '') return true
      const noted = await changedRows(
        db,
        sql.type(noRow)`
          update identity.users set github_holder = ${holder}
          where id = ${userId} and github_holder in ('', ${holder})`,
      )
      return noted === 1
    },
    nextNumber: () =>
      db.oneFirst(sql.type(z.object({ next: z.number() }))`
        select coalesce(max(id), 0) + 1 as next from identity.users`),
  }
}

const columnOf = (kind: ExternalIdKind) => sql.identifier([COLUMN_OF_EXTERNAL_ID[kind]])

const INDEXES: ReadonlySet<string> = new Set(
  Object.values(COLUMN_OF_EXTERNAL_ID).map((column) => `users_${column}`),
)

/** Whether PostgreSQL refused a row because another user has the external id. */
export function isExternalIdTaken(error: unknown): boolean {
  const { code, constraint } = error as { readonly code?: string; readonly constraint?: string }
  return code === UNIQUE_VIOLATION && constraint !== undefined && INDEXES.has(constraint)
}
