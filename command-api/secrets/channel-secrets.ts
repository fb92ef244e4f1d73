import { type ChannelId, channelId } from '@tollgate/domain/ids.ts'
import type { Clock } from '@tollgate/domain/ports/clock.ts'
import { type CommonQueryMethods, sql } from 'slonik'
import { z } from 'zod'
import { changedRows, noRow, timestamp } from '../statements.ts'
import type { InertRows } from '../workflows/orphan-recovery.ts'
import { secretRows } from './secret-rows.ts'
import type { Vault } from './vault.ts'

/** Names, keys and proxies of channels; their terms are events. Also allocates channel ids. */
export interface ChannelSecrets extends InertRows {
  /** Adds a row; the destination is where its key may go (domain/channel/destination.ts). */
  insert(channel: ChannelSecret, destination: string): Promise<ChannelId>
  /**
   * Changes the given fields, if the row still has the given revision; answers the new one, else null. A new key or
   * proxy is unannounced until its event is stored.
   */
  update(id: number, change: SecretChange, revision: number): Promise<number | null>
  /** The row's events are stored; false when the row was changed since the given revision, and stays as it is. */
  confirm(id: number, revision: number): Promise<boolean>
  /** Rows changed that long ago of which no event has told since, oldest first, at most `limit`. */
  unannounced(olderThanSeconds: number, limit: number): Promise<readonly number[]>
  /** Name and age of each id that exists, deleted ones too. */
  describe(
    ids: readonly number[],
  ): Promise<ReadonlyMap<number, { readonly name: string; readonly createdAt: Date }>>
  /** Everything, decrypted; null for an unknown or erased row. */
  open(id: number): Promise<KeptSecret | null>
  /** Rows that are not erased, decrypted, by id. */
  openMany(ids: readonly number[]): Promise<ReadonlyMap<number, KeptSecret>>
  /** Rows that the keyword names: part of the name in any case, or the whole key. Their number is for the caller to match. */
  search(keyword: string): Promise<readonly ChannelId[]>
}

export interface ChannelSecret {
  readonly name: string
  /** May have many lines for some types. */
  readonly key: string
  /** '' = none. */
  readonly proxy: string
}

/** A row as it stands. */
export interface KeptSecret extends ChannelSecret {
  /** Where the key may go; null = given before this was noted. */
  readonly destination: string | null
  /** Counts the row's changes. */
  readonly revision: number
}

/** The revision of a row that was never changed. */
const FIRST_REVISION = 0

export type SecretChange = Partial<ChannelSecret & { readonly destination: string }>

const IDS_MAX = 100_000

/** Channel secrets in `secrets.channels`. */
export function channelSecrets(
  db: CommonQueryMethods,
  vault: Vault,
  clock: Pick<Clock, 'now'>,
): ChannelSecrets {
  const table = secretRows(db, clock, {
    table: sql.fragment`secrets.channels`,
    columns: COLUMNS,
    row: channelRow,
    cleared: sql.fragment`key_ciphertext = null, proxy_ciphertext = null`,
  })
  const fingerprint = (key: string) => sql.binary(vault.fingerprint('channel-key', key))
  const sealedKey = (key: string) => sql.binary(vault.seal('channel-key', key))
  const sealedProxy = (proxy: string) =>
    proxy === '' ? null : sql.binary(vault.seal('channel-proxy', proxy))
  const secretOf = (row: ChannelRow): KeptSecret => ({
    destination: row.destination,
    revision: row.revision,
    name: row.name,
    key: row.key_ciphertext === null ? '' : vault.open('channel-key', row.key_ciphertext),
    proxy: row.proxy_ciphertext === null ? '' : vault.open('channel-proxy', row.proxy_ciphertext),
  })
  const openMany = async (ids: readonly number[]): Promise<ReadonlyMap<number, KeptSecret>> => {
    const found = await db.any(sql.type(channelRow)`
      select ${COLUMNS} from secrets.channels
      where id = any(${sql.array(ids, 'int8')}) and deleted_at is null`)
    return new Map(found.map((row) => [idOf(row), secretOf(row)]))
  }
  async function confirm(id: number, revision: number): Promise<boolean> {
    const confirmed = await changedRows(
      db,
      sql.type(noRow)`
        update secrets.channels set is_pending = false where id = ${id} and revision = ${revision}`,
    )
    return confirmed > 0
  }

  return {
    async insert({ name, key, proxy }, destination) {
      const id = await db.oneFirst(sql.type(channelRow.pick({ id: true }))`
        insert into secrets.channels
          (name, key_ciphertext, key_hash, proxy_ciphertext, destination, created_at)
        values (${name}, ${sealedKey(key)}, ${fingerprint(key)}, ${sealedProxy(proxy)},
          ${destination}, ${timestamp(clock.now())})
        returning id`)
      return channelId(id)
    },
    update(id, { name, key, proxy, destination }, revision) {
      const assignments = [
        name !== undefined && sql.fragment`name = ${name}`,
        key !== undefined &&
          sql.fragment`key_ciphertext = ${sealedKey(key)}, key_hash = ${fingerprint(key)}`,
        proxy !== undefined && sql.fragment`proxy_ciphertext = ${sealedProxy(proxy)}`,
        destination !== undefined && sql.fragment`destination = ${destination}`,
        sql.fragment`revision = revision + 1`,
        // Only a channel that is there is changed: nobody has to look for its first event any more.
        sql.fragment`is_pending = (is_pending and revision > ${FIRST_REVISION})
          or ${key !== undefined || proxy !== undefined}`,
        sql.fragment`touched_at = now()`,
      ].filter((assignment) => assignment !== false)
      return db.maybeOneFirst(sql.type(channelRow.pick({ revision: true }))`
        update secrets.channels set ${sql.join(assignments, sql.fragment`, `)}
        where id = ${id} and revision = ${revision} returning revision`)
    },
    confirm,
    // A row that was changed belongs to a channel that is, or was, there.
    unsettled: (seconds, limit) =>
      table.untouched(sql.fragment`is_pending and revision = ${FIRST_REVISION}`, seconds, limit),
    unannounced: (seconds, limit) =>
      table.untouched(sql.fragment`is_pending and revision > ${FIRST_REVISION}`, seconds, limit),
    async settle(id) {
      await confirm(id, FIRST_REVISION)
    },
    erase: table.erase,
    async describe(ids) {
      const found = await table.byIds(ids)
      return new Map(found.map((row) => [idOf(row), { name: row.name, createdAt: row.created_at }]))
    },
    async open(id) {
      return (await openMany([id])).get(id) ?? null
    },
    openMany,
    async search(keyword) {
      const ids = await db.anyFirst(sql.type(channelRow.pick({ id: true }))`
        select id from secrets.channels
        where deleted_at is null
          and (position(lower(${keyword}) in lower(name)) > 0 or key_hash = ${fingerprint(keyword)})
        order by id desc limit ${IDS_MAX}`)
      return ids.map(channelId)
    },
  }
}

const COLUMNS = sql.fragment`id, name, key_ciphertext, proxy_ciphertext, destination, revision, created_at`

const channelRow = z.object({
  id: z.number(),
  name: z.string(),
  key_ciphertext: z.instanceof(Buffer).nullable(),
  proxy_ciphertext: z.instanceof(Buffer).nullable(),
  destination: z.string().nullable(),
  revision: z.number(),
  created_at: z.date(),
})
type ChannelRow = z.output<typeof channelRow>

const idOf = (row: ChannelRow): ChannelId => channelId(row.id)
