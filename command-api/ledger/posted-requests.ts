import { hash } from 'node:crypto'
import type { Clock } from '@tollgate/domain/ports/clock.ts'
import type { EventStore } from '@tollgate/domain/ports/event-store.ts'
import type { Randomness } from '@tollgate/domain/ports/randomness.ts'
import type { Position } from '@tollgate/domain/event.ts'
import type pg from 'pg'

/**
 * Requests that move quota, so that one which is posted again is known (decision 41: the row first, then the event that
 * names it as its cause). Whoever sends a key says by it what is the same request, for a day. Without one the same edit
 * by the same user within some seconds is a second click, not a second wish.
 */
export interface PostedRequests {
  /** Null when the key came before with other contents. */
  take(posted: PostedRequest): Promise<TakenRequest | null>
  /**
   * What was taken came before, but this is a new wish for the same: it is taken anew, once, whoever else finds so at
   * the same time. Null as above.
   */
  takeAnew(posted: PostedRequest, before: TakenRequest): Promise<TakenRequest | null>
  /** Drops expired rows; answers how many. */
  removeExpired(): Promise<number>
}

export interface PostedRequest {
  /** Who asks. */
  readonly user: number
  readonly operation: 'affiliate-transfer' | 'quota-edit'
  /** The header Idempotency-Key; null without one. */
  readonly key: string | null
  /** All that decides what the request changes. */
  readonly contents: string
}

export interface TakenRequest {
  readonly causationId: string
  /** What the request changed, if it did, stands after this. */
  readonly position: Position
  /** It came before; whether it changed anything is in the log. */
  readonly isRepeated: boolean
}

/** As long as clients that lost an answer try again by themselves. */
export const REQUEST_KEY_LIFE_MS = 86_400_000
/** Longer than an answer takes and an impatient hand clicks. */
export const SECOND_CLICK_MS = 10_000

/** Requests in `identity.posted_requests`. */
export function postedRequests(deps: {
  readonly pool: pg.Pool
  readonly store: Pick<EventStore, 'headPosition'>
  readonly clock: Pick<Clock, 'now'>
  readonly randomness: Randomness
}): PostedRequests {
  const { pool, store, clock, randomness } = deps
  /** A row gives way when it has expired, or when it is the one that is replaced. */
  async function take(
    { user, operation, key, contents }: PostedRequest,
    replacedId: string | null,
  ): Promise<TakenRequest | null> {
    const now = clock.now()
    const id = randomness.uuid()
    const contentsHash = digest(contents)
    const givesWay = '(known.expires_at <= $8 or known.id = $9)'
    const { rows } = await pool.query<Row>(
      `insert into identity.posted_requests as known
         (id, user_id, operation, key_hash, contents_hash, position, expires_at)
       values ($1, $2, $3, $4, $5, $6, $7)
       on conflict (user_id, operation, key_hash) do update set
         id = case when ${givesWay} then excluded.id else known.id end,
         contents_hash =
           case when ${givesWay} then excluded.contents_hash else known.contents_hash end,
         position = case when ${givesWay} then excluded.position else known.position end,
         expires_at = case when ${givesWay} then excluded.expires_at else known.expires_at end
       returning id, contents_hash, position`,
      [
        id,
        user,
        operation,
        digest(key === null ? `contents ${contents}` : `key ${key}`),
        contentsHash,
        await store.headPosition(),
        new Date(now + (key === null ? SECOND_CLICK_MS : REQUEST_KEY_LIFE_MS)),
        new Date(now),
        replacedId,
      ],
    )
    const [row] = rows
    if (row === undefined) throw new TypeError('an upsert answered no row')
    if (!row.contents_hash.equals(contentsHash)) return null
    return { causationId: row.id, position: Number(row.position), isRepeated: row.id !== id }
  }

  return {
    take: (posted) => take(posted, null),
    takeAnew: (posted, { causationId }) => take(posted, causationId),
    async removeExpired() {
      const sql = 'delete from identity.posted_requests where expires_at <= $1'
      const { rowCount } = await pool.query(sql, [new Date(clock.now())])
      return rowCount ?? 0
    },
  }
}

interface Row {
  readonly id: string
  readonly contents_hash: Buffer
  readonly position: string
}

const digest = (text: string): Buffer => hash('sha256', text, 'buffer')
