import { hash } from 'node:crypto'
import type { Clock } from '@tollgate/domain/ports/clock.ts'
import { type CommonQueryMethods, sql } from 'slonik'
import type { Migration } from '../migration.ts'
import { changedRows, noRow, timestamp } from '../statements.ts'

/**
 * Signatures of others that are good for one sign-in and arrive in an address, where histories, logs and proxies keep
 * them. Shared by all processes; saved with a backup, so that what was used before stays used.
 */
export interface UsedSignatures {
  /** Notes that a signature is used; false when it was before. Kept until it is good for nothing, unix milliseconds. */
  use(signature: Uint8Array, goodUntil: number): Promise<boolean>
  /** Drops expired rows; answers how many. */
  removeExpired(): Promise<number>
}

export const usedSignatureMigrations: readonly Migration[] = [
  {
    id: 'used-signatures-0001-used-signatures',
    sql: `
      create table identity.used_signatures (
        -- SHA-256 of the signature.
        signature_hash bytea primary key,
        expires_at timestamptz not null
      );
      create index used_signatures_expired on identity.used_signatures (expires_at);
    `,
  },
]

/** Signatures in `identity.used_signatures`. */
export const usedSignatures = (deps: {
  readonly db: CommonQueryMethods
  readonly clock: Pick<Clock, 'now'>
}): UsedSignatures => ({
  async use(signature, goodUntil) {
    const added = await changedRows(
      deps.db,
      sql.type(noRow)`
        insert into identity.used_signatures (signature_hash, expires_at)
        values (${sql.binary(hash('sha256', signature, 'buffer'))}, ${timestamp(goodUntil)})
        on conflict (signature_hash) do nothing`,
    )
    return added === 1
  },
  removeExpired: () =>
    changedRows(
      deps.db,
      sql.type(noRow)`
        delete from identity.used_signatures where expires_at < ${timestamp(deps.clock.now())}`,
    ),
})
