import type { Pool } from 'pg'
import { type ChannelId, channelId } from '@tollgate/domain/ids.ts'
import type { Clock } from '@tollgate/domain/ports/clock.ts'
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
  pool: Pool,
  vault: Vault,
  clock: Pick<Clock, 'now'>,
): ChannelSecrets {
  const table = secretRows<ChannelRow>(pool, clock, {
    table: 'secrets.channels',
    columns: COLUMNS,
    cleared: 'key_ciphertext = null, proxy_ciphertext = null',
  })
  const { rows } = table
  const sealedProxy = (proxy: string): Buffer | null =>
    proxy === '' ? null : vault.seal('channel-proxy', proxy)
  const secretOf = (row: ChannelRow): KeptSecret => ({
    destination: row.destination,
    revision: Number(row.revision),
    name: row.name,
    key: row.key_ciphertext === null ? '' : vault.open('channel-key', row.key_ciphertext),
    proxy: row.proxy_ciphertext === null ? '' : vault.open('channel-proxy', row.proxy_ciphertext),
  })
  const openMany = async (ids: readonly number[]): Promise<ReadonlyMap<number, KeptSecret>> => {
    const found = await rows(
      `select ${COLUMNS} from secrets.channels where id = any($1::bigint[]) and deleted_at is null`,
      ids,
    )
    return new Map(found.map((row) => [idOf(row), secretOf(row)]))
  }
  async function confirm(id: number, revision: number): Promise<boolean> {
    const confirmed = await rows(
      `update secrets.channels set is_pending = false
       where id = $1 and revision = $2 returning ${COLUMNS}`,
      id,
      revision,
    )
    return confirmed.length > 0
  }

  return {
    async insert({ name, key, proxy }, destination) {
      const [row] = await rows(
        `insert into secrets.channels (name, key_ciphertext, key_hash, proxy_ciphertext, destination, created_at)
         values ($1, $2, $3, $4, $5, $6) returning ${COLUMNS}`,
        name,
        vault.seal('channel-key', key),
        vault.fingerprint('channel-key', key),
        sealedProxy(proxy),
        destination,
        new Date(clock.now()),
      )
      if (row === undefined) throw new TypeError('an insert returned no row')
      return idOf(row)
    },
    async update(id, { name, key, proxy, destination }, revision) {
      const [row] = await rows(
        `update secrets.channels set
           name = coalesce($2, name),
           key_ciphertext = coalesce($3, key_ciphertext),
           key_hash = coalesce($4, key_hash),
           proxy_ciphertext = case when $5 then $6 else proxy_ciphertext end,
           destination = coalesce($7, destination),
           revision = revision + 1,
           -- Only a channel that is there is changed: nobody has to look for its first event any more.
           is_pending = (is_pending and revision > ${FIRST_REVISION}) or $3 is not null or $5,
           touched_at = now()
         where id = $1 and revision = $8 returning ${COLUMNS}`,
        id,
        name ?? null,
        key === undefined ? null : vault.seal('channel-key', key),
        key === undefined ? null : vault.fingerprint('channel-key', key),
        proxy !== undefined,
        proxy === undefined ? null : sealedProxy(proxy),
        destination ?? null,
        revision,
      )
      return row === undefined ? null : Number(row.revision)
    },
    confirm,
    // A row that was changed belongs to a channel that is, or was, there.
    unsettled: (seconds, limit) =>
      table.untouched(`is_pending and revision = ${FIRST_REVISION}`, seconds, limit),
    unannounced: (seconds, limit) =>
      table.untouched(`is_pending and revision > ${FIRST_REVISION}`, seconds, limit),
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
      const found = await rows(
        `select ${COLUMNS} from secrets.channels
         where deleted_at is null and (position(lower($1) in lower(name)) > 0 or key_hash = $2)
         order by id desc limit ${IDS_MAX}`,
        keyword,
        vault.fingerprint('channel-key', keyword),
      )
      return found.map(idOf)
    },
  }
}

const COLUMNS = 'id, name, key_ciphertext, proxy_ciphertext, destination, revision, created_at'

interface ChannelRow {
  readonly id: string | number
  readonly name: string
  readonly key_ciphertext: Buffer | null
  readonly proxy_ciphertext: Buffer | null
  readonly destination: string | null
  readonly revision: string
  readonly created_at: Date
}

const idOf = (row: ChannelRow): ChannelId => channelId(Number(row.id))
