import { type TokenId, tokenId } from '@tollgate/domain/ids.ts'
import type { Clock } from '@tollgate/domain/ports/clock.ts'
import { type CommonQueryMethods, sql } from 'slonik'
import { z } from 'zod'
import { noRow, timestamp } from '../statements.ts'
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
export function tokenSecrets(
  db: CommonQueryMethods,
  vault: Vault,
  clock: Pick<Clock, 'now'>,
): TokenSecrets {
  const table = secretRows(db, clock, {
    table: sql.fragment`secrets.tokens`,
    columns: COLUMNS,
    row: tokenRow,
    cleared: sql.fragment`key_ciphertext = null, model_list = '{}'`,
  })
  const fingerprint = (key: string) => sql.binary(vault.fingerprint('token-key', key))
  const keyOf = (row: TokenRow): string =>
    row.key_ciphertext === null ? '' : vault.open('token-key', row.key_ciphertext)

  return {
    async insert({ userId, name, key, modelList = [] }) {
      const id = await db.oneFirst(sql.type(idRow)`
        insert into secrets.tokens
          (user_id, name, key_ciphertext, key_hash, created_at, model_list)
        values (${userId}, ${name}, ${sql.binary(vault.seal('token-key', key))},
          ${fingerprint(key)}, ${timestamp(clock.now())}, ${sql.array(modelList, 'text')})
        returning id`)
      return tokenId(id)
    },
    async redescribe(id, { name, modelList }) {
      await db.query(sql.type(noRow)`
        update secrets.tokens set name = ${name}, model_list = ${sql.array(modelList, 'text')}
        where id = ${id}`)
    },
    unsettled: table.unsettled,
    settle: table.settle,
    erase: table.erase,
    async remove(id) {
      await db.query(sql.type(noRow)`delete from secrets.tokens where id = ${id} and is_pending`)
    },
    async names(ids) {
      const found = await table.byIds(ids)
      return new Map(found.map((row) => [idOf(row), row.name]))
    },
    async ownerOf(id) {
      const [row] = await table.byIds([id])
      return row?.user_id ?? null
    },
    async describe(ids) {
      const found = await table.byIds(ids)
      return new Map(
        found.map((row) => [
          idOf(row),
          {
            userId: row.user_id,
            name: row.name,
            key: keyOf(row),
            modelList: row.model_list,
            createdAt: row.created_at,
          },
        ]),
      )
    },
    async findByKey(key) {
      const row = await db.maybeOne(sql.type(tokenRow.pick({ id: true, user_id: true }))`
        select id, user_id from secrets.tokens
        where key_hash = ${fingerprint(key)} and deleted_at is null`)
      return row && { id: tokenId(row.id), userId: row.user_id }
    },
    async search(userId, wanted) {
      const found = await db.any(sql.type(tokenRow)`
        select ${COLUMNS} from secrets.tokens
        where user_id = ${userId} and deleted_at is null and position(${wanted.name} in name) > 0
        order by id desc limit ${IDS_MAX}`)
      // Keys are encrypted, so a part of one is looked for in the owner's own few, decrypted.
      const matching =
        wanted.key === '' ? found : found.filter((row) => keyOf(row).includes(wanted.key))
      return matching.map(idOf)
    },
    async idsByName(name, userId) {
      const isOf = userId !== null && sql.fragment`user_id = ${userId}`
      const ids = await db.anyFirst(sql.type(idRow)`
        select id from secrets.tokens where ${sql.and([sql.fragment`name = ${name}`, isOf])}
        order by id desc limit ${IDS_MAX}`)
      return ids.map(tokenId)
    },
  }
}

const COLUMNS = sql.fragment`id, user_id, name, key_ciphertext, model_list, created_at`

const tokenRow = z.object({
  id: z.number(),
  user_id: z.number(),
  name: z.string(),
  key_ciphertext: z.instanceof(Buffer).nullable(),
  model_list: z.array(z.string()),
  created_at: z.date(),
})
type TokenRow = z.output<typeof tokenRow>
const idRow = tokenRow.pick({ id: true })

const idOf = (row: TokenRow): TokenId => tokenId(row.id)
