import type { Pool } from 'pg'
import { type TokenId, tokenId } from '@tollgate/domain/ids.ts'
import type { Clock } from '@tollgate/domain/ports/clock.ts'
import type { InertRows } from '../workflows/orphan-recovery.ts'
import { secretRows } from './secret-rows.ts'
import type { Vault } from './vault.ts'

/**
 * Names and keys of API tokens, and the lists of models in their forms; their rights and limits are in the ledger. Also
 * allocates token ids.
 */
export interface TokenSecrets extends InertRows {
  /** Adds a row. `key` is without `sk-`. */
  insert(token: {
    readonly userId: number
    readonly name: string
    readonly key: string
    readonly modelList?: readonly string[]
  }): Promise<TokenId>
  redescribe(
    id: TokenId,
    description: { readonly name: string; readonly modelList: readonly string[] },
  ): Promise<void>
  /** Takes back a row whose token was never issued. */
  remove(id: TokenId): Promise<void>
  /** Name of each id that exists, deleted ones too; nothing is decrypted. */
  names(ids: readonly number[]): Promise<ReadonlyMap<number, string>>
  /** The owner of this row; null when there is none. Nothing is decrypted. */
  ownerOf(id: number): Promise<number | null>
  /** Name, list and full key (without `sk-`; '' once deleted) of each id that exists. */
  describe(ids: readonly number[]): Promise<ReadonlyMap<number, TokenSecret>>
  /** The row with this key (without `sk-`), which the log may know nothing of; null when there is none. */
  findByKey(key: string): Promise<{ readonly id: TokenId; readonly userId: number } | null>
  /** The owner's live tokens whose name and key contain these texts; '' matches all. Newest first. */
  search(
    userId: number,
    wanted: { readonly name: string; readonly key: string },
  ): Promise<readonly TokenId[]>
  /** Tokens of this name, deleted ones too, of one user or of all: for filters of the log. */
  idsByName(name: string, userId: number | null): Promise<readonly TokenId[]>
}

export interface TokenSecret {
  readonly userId: number
  readonly name: string
  readonly key: string
  /** The list of models in its form, whether it limits or not. */
  readonly modelList: readonly string[]
  readonly createdAt: Date
}

/** Rows that one search or log filter may name; an account has at most 10,000 live tokens. */
const IDS_MAX = 10_000

/** Token secrets in `secrets.tokens`. */
export function tokenSecrets(pool: Pool, vault: Vault, clock: Pick<Clock, 'now'>): TokenSecrets {
  const table = secretRows<TokenRow>(pool, clock, {
    table: 'secrets.tokens',
    columns: COLUMNS,
    cleared: `key_ciphertext = null, model_list = '{}'`,
  })
  const { run, rows } = table
  const keyOf = (row: TokenRow): string =>
    row.key_ciphertext === null ? '' : vault.open('token-key', row.key_ciphertext)

  return {
    async insert({ userId, name, key, modelList = [] }) {
      const [row] = await rows(
        `insert into secrets.tokens (user_id, name, key_ciphertext, key_hash, created_at, model_list)
         values ($1, $2, $3, $4, $5, $6) returning ${COLUMNS}`,
        userId,
        name,
        vault.seal('token-key', key),
        vault.fingerprint('token-key', key),
        new Date(clock.now()),
        modelList,
      )
      if (row === undefined) throw new TypeError('an insert returned no row')
      return idOf(row)
    },
    redescribe: (id, { name, modelList }) =>
      run(
        `update secrets.tokens set name = $2, model_list = $3 where id = $1`,
        id,
        name,
        modelList,
      ),
    unsettled: table.unsettled,
    settle: table.settle,
    erase: table.erase,
    remove: (id) => run(`delete from secrets.tokens where id = $1 and is_pending`, id),
    async names(ids) {
      const found = await table.byIds(ids)
      return new Map(found.map((row) => [idOf(row), row.name]))
    },
    async ownerOf(id) {
      const [row] = await table.byIds([id])
      return row === undefined ? null : Number(row.user_id)
    },
    async describe(ids) {
      const found = await table.byIds(ids)
      return new Map(
        found.map((row) => [
          idOf(row),
          {
            userId: Number(row.user_id),
            name: row.name,
            key: keyOf(row),
            modelList: row.model_list,
            createdAt: row.created_at,
          },
        ]),
      )
    },
    async findByKey(key) {
      const [row] = await rows(
        `select ${COLUMNS} from secrets.tokens where key_hash = $1 and deleted_at is null`,
        vault.fingerprint('token-key', key),
      )
      return row === undefined ? null : { id: idOf(row), userId: Number(row.user_id) }
    },
    async search(userId, wanted) {
      const found = await rows(
        `select ${COLUMNS} from secrets.tokens
         where user_id = $1 and deleted_at is null and position($2 in name) > 0
         order by id desc limit ${IDS_MAX}`,
        userId,
        wanted.name,
      )
      // Keys are encrypted, so a part of one is looked for in the owner's own few, decrypted.
      const matching =
        wanted.key === '' ? found : found.filter((row) => keyOf(row).includes(wanted.key))
      return matching.map(idOf)
    },
    async idsByName(name, userId) {
      const found = await rows(
        `select ${COLUMNS} from secrets.tokens
         where name = $1 and ($2::bigint is null or user_id = $2) order by id desc limit ${IDS_MAX}`,
        name,
        userId,
      )
      return found.map(idOf)
    },
  }
}

const COLUMNS = 'id, user_id, name, key_ciphertext, model_list, created_at'

interface TokenRow {
  readonly id: string | number
  readonly user_id: string | number
  readonly name: string
  readonly key_ciphertext: Buffer | null
  readonly model_list: readonly string[]
  readonly created_at: Date
}

const idOf = (row: TokenRow): TokenId => tokenId(Number(row.id))
