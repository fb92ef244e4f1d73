import { userId } from '@tollgate/domain/ids.ts'
import { type CommonQueryMethods, sql } from 'slonik'
import { z } from 'zod'
import type { Migration } from '../migration.ts'
import { existence, noRow } from '../statements.ts'
import { quota } from '@tollgate/domain/quota.ts'
import type { UserStore } from '../identity/users.ts'
import type { AccountLedger } from '../accounts/account-ledger.ts'
import type { CommandCause } from '../aggregates/cause.ts'
import type { Entropy } from '../secrets/entropy.ts'
import type { TokenSecrets } from '../secrets/token-secrets.ts'
import { issueToken } from '../tokens/issue-token.ts'

export const firstTokenMigrations: readonly Migration[] = [
  {
    id: 'first-tokens-0001-owed',
    sql: `
      -- The user was promised a token with the account (GENERATE_DEFAULT_TOKEN) and may not have it yet.
      alter table identity.users add column is_token_owed boolean not null default false;
      create index users_token_owed on identity.users (touched_at) where is_token_owed;
    `,
  },
]

/** Users who were promised a token with their account, as `identity.users` notes them. */
export interface OwedTokens {
  isOwed(userId: number): Promise<boolean>
  /** The user has theirs, or will never have it. */
  settle(userId: number): Promise<void>
  /** Living users with an open account whose rows were not touched for a while, oldest first, at most `limit`. */
  dueFor(seconds: number, limit: number): Promise<readonly number[]>
}

/** The notes in `identity.users`. */
export const owedTokens = (db: CommonQueryMethods): OwedTokens => ({
  isOwed: (user) =>
    db.oneFirst(sql.type(existence)`
      select exists (
        select from identity.users where id = ${user} and is_token_owed and deleted_at is null)`),
  async settle(user) {
    await db.query(sql.type(noRow)`
      update identity.users set is_token_owed = false where id = ${user}`)
  },
  dueFor: (seconds, limit) =>
    db.anyFirst(sql.type(z.object({ id: z.number() }))`
      select id from identity.users
      where is_token_owed and not is_pending and deleted_at is null
        and touched_at < now() - make_interval(secs => ${seconds})
      order by touched_at limit ${limit}`),
})

export interface FirstTokenDeps {
  readonly users: Pick<UserStore, 'byId'>
  readonly owed: OwedTokens
  readonly ledger: Pick<AccountLedger, 'execute' | 'inspect'>
  readonly secrets: Pick<TokenSecrets, 'insert' | 'describe' | 'remove'>
  readonly entropy: Entropy
}

/** The quota that the first token may spend, should it ever be limited; it is made unlimited (console-api 2.2). */
const FIRST_TOKEN_QUOTA = quota(500_000)

/**
 * Gives a user the token that their row says they are owed, once, however often it is called. False when the account
 * refuses it for good.
 */
export async function giveFirstToken(
  deps: FirstTokenDeps,
  id: number,
  cause: CommandCause,
): Promise<boolean> {
  const user = (await deps.owed.isOwed(id)) ? await deps.users.byId(id) : null
  if (user === null) return true
  const issued = await issueToken(deps, {
    user: userId(id),
    name: `${user.username}的初始令牌`,
    remain: FIRST_TOKEN_QUOTA,
    terms: { unlimited: true, expiresAt: null, group: '', models: null, allowedIps: [] },
    isFirst: true,
    deduplicateAs: firstTokenOf(id),
    cause,
  })
  await deps.owed.settle(id)
  return issued.status === 'done'
}

/** The name of the work on a user's first token; the token's event has it as its cause. */
export const firstTokenOf = (user: number): string => `identity.users/${user}/first-token`
