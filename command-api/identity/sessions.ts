import { createHash } from 'node:crypto'
import type { Pool } from 'pg'
import { LOG_START, type Position } from '@tollgate/domain/event.ts'
import type { Clock } from '@tollgate/domain/ports/clock.ts'
import type { Randomness } from '@tollgate/domain/ports/randomness.ts'
import type { Role } from '@tollgate/domain/user/events.ts'
import type { Entropy } from '../secrets/entropy.ts'

/** 30 days from sign-in, not prolonged by use (console-api 1.3). */
export const SESSION_SECONDS = 2_592_000

/** Sessions are rows that can be revoked at once; the cookie holds a random token, the row only its hash. */
export interface Sessions {
  /** Opens a session; answers the cookie's value. */
  open(
    userId: number,
    from?: SessionOrigin,
  ): Promise<{ readonly id: string; readonly token: string }>
  /** The session's user as they are now, banned and deleted ones too; null for an unknown or expired token. */
  find(token: string): Promise<SessionUser | null>
  close(token: string): Promise<void>
  /** A user's open sessions, the one used last first. */
  list(userId: number): Promise<readonly OpenSession[]>
  /** Signs a user out of one session; false when they have none of that id. */
  revoke(userId: number, sessionId: string): Promise<boolean>
  /** Signs a user out everywhere, or everywhere but in one session; answers of how many. */
  revokeAll(userId: number, exceptSessionId?: string | null): Promise<number>
  /** Ends a user's sessions that were opened up to a moment, unix milliseconds; idempotent. */
  revokeOpenedUntil(userId: number, until: number): Promise<void>
  /** Notes a write, so that this session's later reads wait for it (decision 43). */
  rememberPosition(sessionId: string, position: Position): Promise<void>
  /** Drops expired rows; answers how many. */
  removeExpired(): Promise<number>
}

/** The client that a session was opened from. */
export interface SessionOrigin {
  readonly ip: string
  readonly userAgent: string
}

export interface OpenSession extends SessionOrigin {
  readonly id: string
  readonly createdAt: Date
  /** To the minute. */
  readonly lastSeenAt: Date
  readonly expiresAt: Date
}

export interface SessionUser {
  readonly sessionId: string
  readonly userId: number
  readonly username: string
  readonly role: Role
  readonly group: string
  readonly isBanned: boolean
  readonly lastPosition: Position
}

const TOKEN_BYTES = 32
const SEEN_EVERY_MS = 60_000
/** No reader looks through more; all can be ended at once. */
const LISTED_MAX = 200
const UNKNOWN_ORIGIN: SessionOrigin = { ip: '', userAgent: '' }

export interface SessionDeps {
  readonly pool: Pool
  readonly clock: Clock
  readonly randomness: Randomness
  readonly entropy: Entropy
}

/** Sessions in `identity.sessions`. */
export function sessionRows({ pool, clock, randomness, entropy }: SessionDeps): Sessions {
  /** Once a minute at most: every request reads the row, few may write it. */
  async function noteSeen(row: Pick<SessionRow, 'id' | 'last_seen_at'>): Promise<void> {
    const now = clock.now()
    if (row.last_seen_at !== null && now - row.last_seen_at.getTime() < SEEN_EVERY_MS) return
    await pool.query(
      `update identity.sessions set last_seen_at = $2
       where id = $1 and (last_seen_at is null or last_seen_at < $2)`,
      [row.id, new Date(now)],
    )
  }
  return {
    async open(userId, { ip, userAgent } = UNKNOWN_ORIGIN) {
      const id = randomness.uuid()
      const token = entropy(TOKEN_BYTES).toString('base64url')
      const now = clock.now()
      await pool.query(
        `insert into identity.sessions (id, token_hash, user_id, created_at, expires_at, last_position, ip, user_agent)
         values ($1, $2, $3, $4, $5, $6, $7, $8)`,
        [
          id,
          hashOf(token),
          userId,
          new Date(now),
          new Date(now + SESSION_SECONDS * 1000),
          LOG_START,
          ip,
          userAgent,
        ],
      )
      return { id, token }
    },
    async find(token) {
      const { rows } = await pool.query<SessionRow>(
        `select s.id, s.last_position, s.last_seen_at, u.id as user_id, u.username, u.role, u.user_group, u.status
         from identity.sessions s join identity.users u on u.id = s.user_id
         where s.token_hash = $1 and s.expires_at > $2 and u.deleted_at is null`,
        [hashOf(token), new Date(clock.now())],
      )
      const row = rows[0]
      if (row === undefined) return null
      await noteSeen(row)
      return {
        sessionId: row.id,
        userId: Number(row.user_id),
        username: row.username,
        role: row.role,
        group: row.user_group,
        isBanned: row.status === 2,
        lastPosition: Number(row.last_position),
      }
    },
    async close(token) {
      await pool.query(`delete from identity.sessions where token_hash = $1`, [hashOf(token)])
    },
    async list(userId) {
      const { rows } = await pool.query<OpenSessionRow>(
        `select id, ip, user_agent, created_at, coalesce(last_seen_at, created_at) as seen_at, expires_at
         from identity.sessions where user_id = $1 and expires_at > $2
         order by seen_at desc, id limit $3`,
        [userId, new Date(clock.now()), LISTED_MAX],
      )
      return rows.map((row) => ({
        id: row.id,
        ip: row.ip,
        userAgent: row.user_agent,
        createdAt: row.created_at,
        lastSeenAt: row.seen_at,
        expiresAt: row.expires_at,
      }))
    },
    async revoke(userId, sessionId) {
      const { rowCount } = await pool.query(
        `delete from identity.sessions where user_id = $1 and id = $2`,
        [userId, sessionId],
      )
      return rowCount === 1
    },
    async revokeAll(userId, exceptSessionId = null) {
      const { rowCount } = await pool.query(
        `delete from identity.sessions where user_id = $1 and ($2::uuid is null or id <> $2)`,
        [userId, exceptSessionId],
      )
      return rowCount ?? 0
    },
    async revokeOpenedUntil(userId, until) {
      await pool.query(`delete from identity.sessions where user_id = $1 and created_at <= $2`, [
        userId,
        new Date(until),
      ])
    },
    async rememberPosition(sessionId, position) {
      await pool.query(
        `update identity.sessions set last_position = $2 where id = $1 and last_position < $2`,
        [sessionId, position],
      )
    },
    async removeExpired() {
      const { rowCount } = await pool.query(
        `delete from identity.sessions where expires_at <= $1`,
        [new Date(clock.now())],
      )
      return rowCount ?? 0
    },
  }
}

const hashOf = (token: string): Buffer => createHash('sha256').update(token).digest()

interface SessionRow {
  readonly id: string
  readonly last_position: string | number
  readonly last_seen_at: Date | null
  readonly user_id: string | number
  readonly username: string
  readonly role: Role
  readonly user_group: string
  readonly status: 1 | 2
}

interface OpenSessionRow {
  readonly id: string
  readonly ip: string
  readonly user_agent: string
  readonly created_at: Date
  readonly seen_at: Date
  readonly expires_at: Date
}
