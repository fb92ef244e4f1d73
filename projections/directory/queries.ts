import type { TokenStatus } from '@tollgate/domain/account/state.ts'
import type { TokenTerms } from '@tollgate/domain/account/token-terms.ts'
import type { LiveChannel } from '@tollgate/domain/channel/state.ts'
import type { Position } from '@tollgate/domain/event.ts'
import type { Role } from '@tollgate/domain/user/events.ts'
import type { PriceChange } from '@tollgate/domain/settings/events.ts'
import type { PlannedRevision } from '@tollgate/domain/settings/state.ts'
import { type CommonQueryMethods, sql } from 'slonik'
import { z } from 'zod'
import { channelRow, stateOf } from '../channels/projector.ts'
import { plannedRow } from '../options/projector.ts'
import { hasTable } from '../runner/has-table.ts'
import { inOneState } from '../runner/reads.ts'
import { tokenRow } from '../tokens/projector.ts'
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

const optionRow = z.object({ key: z.string(), value: z.string().nullable() })
const place = z.object({ position: z.number() })

/**
 * Channels and options for the relay's memory; null while the tables of options are of a version before planned prices:
 * a projector builds them anew within seconds of its start.
 */
export const loadDirectory = (reads: CommonQueryMethods): Promise<DirectorySnapshot | null> =>
  inOneState(reads, async (snapshot) => {
    if (!(await hasTable(snapshot, 'options.price_book'))) return null
    const position = await positionOf(snapshot, ['channels', 'options'])
    const channels = await snapshot.any(sql.type(channelRow)`select * from channels.channels`)
    const options = await snapshot.any(sql.type(optionRow)`select key, value from options.options`)
    const revision = await snapshot.maybeOneFirst(
      sql.type(plannedRow.pick({ revision: true }))`select revision from options.price_book`,
    )
    const planned = await snapshot.any(sql.type(plannedRow)`select * from options.planned_prices`)
    return {
      channels: channels.map((row) => ({ id: row.channel_id, state: stateOf(row) })),
      options: options.map(({ key, value }) => [key, value] as const),
      pricingRevision: revision ?? -1,
      plannedPrices: planned.map((row) => ({
        number: row.number,
        revision: row.revision,
        effectiveAt: row.effective_at,
        changes: JSON.parse(row.changes) as readonly PriceChange[],
      })),
      position,
    }
  })

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

const owner = z.object({
  role: z.custom<Role>((value) => typeof value === 'number'),
  user_group: z.string(),
  is_active: z.boolean(),
})

/** A live token by its id; null when there is none, or not yet: see `position` of the read model. */
export const findDirectoryToken = (
  reads: CommonQueryMethods,
  id: number,
): Promise<DirectoryToken | null> =>
  inOneState(reads, async (snapshot) => {
    const position = await positionOf(snapshot, ['tokens', 'users', 'balances'])
    const row = await snapshot.maybeOne(sql.type(tokenRow.extend(owner.shape))`
      select tokens.*, ${OWNER}
      from tokens.tokens join users.users using (user_id) join balances.accounts using (user_id)
      where token_id = ${id} and tokens.deleted_at is null`)
    if (row === null) return null
    return {
      id: row.token_id,
      userId: row.user_id,
      status: tokenStatus(row.status),
      terms: termsOf(row),
      user: userOf(row),
      position,
    }
  })

const OWNER = sql.fragment`users.role, users.group_name as user_group,
  not users.is_banned and users.deleted_at is null and accounts.status = 'active' as is_active`

/** A user as the relay needs to know them; null when there is none. */
export async function findDirectoryUser(
  reads: CommonQueryMethods,
  id: number,
): Promise<DirectoryToken['user'] | null> {
  const row = await reads.maybeOne(sql.type(owner)`
    select ${OWNER} from users.users join balances.accounts using (user_id) where user_id = ${id}`)
  return row && userOf(row)
}

const userOf = (row: z.output<typeof owner>): DirectoryToken['user'] => ({
  isActive: row.is_active,
  role: row.role,
  group: row.user_group,
})

const positionOf = (reads: CommonQueryMethods, names: readonly string[]): Promise<Position> =>
  reads.oneFirst(sql.type(place)`
    select coalesce(min(position), -1)::bigint as position
    from projections.checkpoints where name = any(${sql.array(names, 'text')})`)
