import { type RedemptionId, redemptionId } from '@tollgate/domain/ids.ts'
import type { Clock } from '@tollgate/domain/ports/clock.ts'
import { type CommonQueryMethods, sql } from 'slonik'
import { z } from 'zod'
import { noRow, timestamp } from '../statements.ts'
import type { InertRows } from '../workflows/orphan-recovery.ts'
import { secretRows } from './secret-rows.ts'
import type { Vault } from './vault.ts'

/**
 * Names of redemption codes and the codes themselves; their quota and their users are in the ledger. Also allocates
 * their ids.
 */
export interface RedemptionSecrets extends InertRows {
  /** Adds a row for each code, in their order. */
  insert(name: string, codes: readonly string[]): Promise<readonly RedemptionId[]>
  rename(id: RedemptionId, name: string): Promise<void>
  /** Name and code ('' once deleted) of each id that exists. */
  describe(
    ids: readonly number[],
  ): Promise<ReadonlyMap<number, { readonly name: string; readonly code: string }>>
  /** The row with these characters, which its stream may know nothing of; null when there is none. */
  findByCode(code: string): Promise<RedemptionId | null>
  /** Codes whose names begin like this, newest first, at most 10,000. */
  searchByName(beginning: string): Promise<readonly RedemptionId[]>
}

/** Rows that one search may name: more than anybody pages through. */
const IDS_MAX = 10_000

/** Redemption codes in `secrets.redemptions`. */
export function redemptionSecrets(
  db: CommonQueryMethods,
  vault: Vault,
  clock: Pick<Clock, 'now'>,
): RedemptionSecrets {
  const table = secretRows(db, clock, {
    table: sql.fragment`secrets.redemptions`,
    columns: COLUMNS,
    row: codeRow,
    cleared: sql.fragment`code_ciphertext = null`,
  })
  const fingerprint = (code: string): Buffer => vault.fingerprint('redemption-code', code)

  return {
    async insert(name, codes) {
      const hashes = codes.map(fingerprint)
      const ciphertexts = codes.map((code) => vault.seal('redemption-code', code))
      const inserted = await db.any(sql.type(codeRow)`
        insert into secrets.redemptions (name, code_ciphertext, code_hash, created_at)
        select ${name}, ciphertext, hash, ${timestamp(clock.now())}
        from unnest(${sql.array(ciphertexts, 'bytea')}, ${sql.array(hashes, 'bytea')})
          with ordinality as t (ciphertext, hash, place)
        order by place
        returning ${COLUMNS}`)
      const ids = new Map(inserted.map((row) => [row.code_hash.toString('hex'), idOf(row)]))
      return hashes.map((hash) => {
        const id = ids.get(hash.toString('hex'))
        if (id === undefined) throw new TypeError('an insert returned fewer rows than it was given')
        return id
      })
    },
    async rename(id, name) {
      await db.query(sql.type(noRow)`
        update secrets.redemptions set name = ${name} where id = ${id}`)
    },
    unsettled: table.unsettled,
    settle: table.settle,
    erase: table.erase,
    async describe(ids) {
      const found = await table.byIds(ids)
      return new Map(
        found.map((row) => [
          idOf(row),
          {
            name: row.name,
            code:
              row.code_ciphertext === null
                ? ''
                : vault.open('redemption-code', row.code_ciphertext),
          },
        ]),
      )
    },
    async findByCode(code) {
      const id = await db.maybeOneFirst(sql.type(idRow)`
        select id from secrets.redemptions
        where code_hash = ${sql.binary(fingerprint(code))} and deleted_at is null`)
      return id === null ? null : redemptionId(id)
    },
    async searchByName(beginning) {
      const pattern = `${beginning.replaceAll(/[\\%_]/g, String.raw`\$&`)}%`
      const ids = await db.anyFirst(sql.type(idRow)`
        select id from secrets.redemptions
        where name like ${pattern} and deleted_at is null order by id desc limit ${IDS_MAX}`)
      return ids.map(redemptionId)
    },
  }
}

const COLUMNS = sql.fragment`id, name, code_ciphertext, code_hash`

const codeRow = z.object({
  id: z.number(),
  name: z.string(),
  code_ciphertext: z.instanceof(Buffer).nullable(),
  code_hash: z.instanceof(Buffer),
})
const idRow = codeRow.pick({ id: true })

const idOf = (row: z.output<typeof codeRow>): RedemptionId => redemptionId(row.id)
