import type { TokenStatus } from '@tollgate/domain/account/state.ts'
import type { TokenTerms } from '@tollgate/domain/account/token-terms.ts'
import type { LiveChannel } from '@tollgate/domain/channel/state.ts'
import type { Position } from '@tollgate/domain/event.ts'
import type { Role } from '@tollgate/domain/user/events.ts'
import type { PriceChange } from '@tollgate/domain/settings/events.ts'
import type { PlannedRevision } from '@tollgate/domain/settings/state.ts'
import type pg from 'pg'
import { type ChannelRow, stateOf } from '../channels/projector.ts'
import type { PlannedRow } from '../options/projector.ts'
import { inTransaction } from '../runner/session.ts'
import type { TokenRow } from '../tokens/projector.ts'
import { termsOf, tokenStatus } from '../tokens/queries.ts'

/** The state that a relay starts from, all as of one moment; the relay follows the log from `position` on. */
export interface DirectorySnapshot {
  readonly channels: readonly DirectoryChannel[]
  /** Options that were ever changed; null = a secret, whose text is elsewhere. */
  readonly options: readonly (readonly [key: string, value: string | null])[]
  /** Position of the revision of prices in force; −1 = never changed. */
  readonly pricingRevision: Position
  readonly plannedPrices: readonly (PlannedRevision & { readonly revision: Position })[]
  /** Everything up to here is in it; what comes after may be in it too, and is the same when applied again. */
  readonly position: Position
}

export interface DirectoryChannel {
  readonly id: number
  readonly state: LiveChannel
}

/**
 * Channels and options for the relay's memory; null while the tables of options are of a version before planned prices:
 * a projector builds them anew within seconds of its start.
 */
export async function loadDirectory(pool: pg.Pool): Promise<DirectorySnapshot | null> {
  return inOneSnapshot(pool, async (client) => {
    const { rows } = await client.query<{ is_there: boolean }>(
      `select to_regclass('options.price_book') is not null as is_there`,
    )
    if (rows[0]?.is_there !== true) return null
    const position = await positionOf(client, ['channels', 'options'])
    const channels = await client.query<ChannelRow>('select * from channels.channels')
    const options = await client.query<{ key: string; value: string | null }>(
      'select key, value from options.options',
    )
    const book = await client.query<{ revision: Position }>(
      'select revision from options.price_book',
    )
    const planned = await client.query<PlannedRow>('select * from options.planned_prices')
    return {
      channels: channels.rows.map((row) => ({ id: row.channel_id, state: stateOf(row) })),
      options: options.rows.map(({ key, value }) => [key, value] as const),
      pricingRevision: book.rows[0]?.revision ?? -1,
      plannedPrices: planned.rows.map(
        ({ number, revision, effective_at: effectiveAt, changes }) => ({
          number,
          revision,
          effectiveAt,
          changes: JSON.parse(changes) as readonly PriceChange[],
        }),
      ),
      position,
    }
  })
}

/** A token and its owner, as of `position`. */
export interface DirectoryToken {
  readonly id: number
  readonly userId: number
  readonly status: TokenStatus
  readonly terms: TokenTerms
  readonly user: {
    /** Neither banned nor deleted, and the account is open and not suspended. */
    readonly isActive: boolean
    readonly role: Role
    readonly group: string
  }
  readonly position: Position
}

/** A live token by its id; null when there is none, or not yet: see `position` of the read model. */
export async function findDirectoryToken(
  pool: pg.Pool,
  id: number,
): Promise<DirectoryToken | null> {
  return inOneSnapshot(pool, async (client) => {
    const position = await positionOf(client, ['tokens', 'users', 'balances'])
    const { rows } = await client.query<TokenRow & Owner>(
      `select tokens.*, users.role, users.group_name as user_group,
              not users.is_banned and users.deleted_at is null and accounts.status = 'active' as is_active
       from tokens.tokens
       join users.users using (user_id)
       join balances.accounts using (user_id)
       where token_id = $1 and tokens.deleted_at is null`,
      [id],
    )
    const row = rows[0]
    if (row === undefined) return null
    return {
      id: row.token_id,
      userId: row.user_id,
      status: tokenStatus(row.status),
      terms: termsOf(row),
      user: { isActive: row.is_active, role: row.role, group: row.user_group },
      position,
    }
  })
}

interface Owner {
  readonly role: Role
  readonly user_group: string
  readonly is_active: boolean
}

/** A user as the relay needs to know them; null when there is none. */
export async function findDirectoryUser(
  pool: pg.Pool,
  id: number,
): Promise<DirectoryToken['user'] | null> {
  const { rows } = await pool.query<Owner>(
    `select users.role, users.group_name as user_group,
            not users.is_banned and users.deleted_at is null and accounts.status = 'active' as is_active
     from users.users join balances.accounts using (user_id) where user_id = $1`,
    [id],
  )
  const row = rows[0]
  return row === undefined
    ? null
    : { isActive: row.is_active, role: row.role, group: row.user_group }
}

async function positionOf(client: pg.PoolClient, names: readonly string[]): Promise<Position> {
  const { rows } = await client.query<{ position: Position }>(
    'select coalesce(min(position), -1)::bigint as position from projections.checkpoints where name = any($1)',
    [names],
  )
  return rows[0]?.position ?? -1
}

const inOneSnapshot = <Result>(
  pool: pg.Pool,
  read: (client: pg.PoolClient) => Promise<Result>,
): Promise<Result> =>
  inTransaction(pool, 'begin transaction isolation level repeatable read read only', read)
