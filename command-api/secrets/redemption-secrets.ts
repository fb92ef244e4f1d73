import type { Pool } from 'pg'
import { type RedemptionId, redemptionId } from '@tollgate/domain/ids.ts'
import type { Clock } from '@tollgate/domain/ports/clock.ts'
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
  pool: Pool,
  vault: Vault,
  clock: Pick<Clock, 'now'>,
): RedemptionSecrets {
  const table = secretRows<CodeRow>(pool, clock, {
    table: 'secrets.redemptions',
    columns: COLUMNS,
    cleared: 'code_ciphertext = null',
  })
  const { run, rows } = table
  const fingerprint = (code: string): Buffer => vault.fingerprint('redemption-code', code)

  return {
    async insert(name, codes) {
      const hashes = codes.map(fingerprint)
      const inserted = await rows(
        `insert into secrets.redemptions (name, code_ciphertext, code_hash, created_at)
         select $1, ciphertext, hash, $4
         from unnest($2::bytea[], $3::bytea[]) with ordinality as t (ciphertext, hash, place)
         order by place
         returning ${COLUMNS}`,
        name,
        codes.map((code) => vault.seal('redemption-code', code)),
        hashes,
        new Date(clock.now()),
      )
      const ids = new Map(inserted.map((row) => [row.code_hash.toString('hex'), idOf(row)]))
      return hashes.map((hash) => {
        const id = ids.get(hash.toString('hex'))
        if (id === undefined) throw new TypeError('an insert returned fewer rows than it was given')
        return id
      })
    },
    rename: (id, name) => run(`update secrets.redemptions set name = $2 where id = $1`, id, name),
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
      const [row] = await rows(
        `select ${COLUMNS} from secrets.redemptions
         where code_hash = $1 and deleted_at is null`,
        fingerprint(code),
      )
      return row === undefined ? null : idOf(row)
    },
    async searchByName(beginning) {
      const found = await rows(
        `select ${COLUMNS} from secrets.redemptions
         where name like $1 and deleted_at is null order by id desc limit ${IDS_MAX}`,
        `${beginning.replaceAll(/[\\%_]/g, String.raw`\$&`)}%`,
      )
      return found.map(idOf)
    },
  }
}

const COLUMNS = 'id, name, code_ciphertext, code_hash'

interface CodeRow {
  readonly id: string | number
  readonly name: string
  readonly code_ciphertext: Buffer | null
  readonly code_hash: Buffer
}

const idOf = (row: CodeRow): RedemptionId => redemptionId(Number(row.id))
