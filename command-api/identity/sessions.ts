import { createHash } from 'node:crypto'
import { LOG_START, type Position } from '@tollgate/domain/event.ts'
import type { Clock } from '@tollgate/domain/ports/clock.ts'
import type { Randomness } from '@tollgate/domain/ports/randomness.ts'
import type { Role } from '@tollgate/domain/user/events.ts'
import { type CommonQueryMethods, sql } from 'slonik'
import { z } from 'zod'
import type { Entropy } from '../secrets/entropy.ts'
import { changedRows, noRow, timestamp } from '../statements.ts'
import { callerColumns } from './user-table.ts'

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
  readonly db: CommonQueryMethods
  readonly clock: Clock
  readonly randomness: Randomness
  readonly entropy: Entropy
}

/** Sessions in `identity.sessions`. */
export function sessionRows({ db, clock, randomness, entropy }: SessionDeps): Sessions {
  /** Once a minute at most: every request reads the row, few may write it. */
  async function noteSeen(row: Pick<SessionRow, 'id' | 'last_seen_at'>): Promise<void> {
    const now = clock.now()
    if (row.last_seen_at !== null && now - row.last_seen_at.getTime() < SEEN_EVERY_MS) return
    const seenAt = timestamp(now)
    await db.query(sql.type(noRow)`
      update identity.sessions set last_seen_at = ${seenAt}
      where id = ${row.id} and (last_seen_at is null or last_seen_at < ${seenAt})`)
  }
  return {
    async open(userId, { ip, userAgent } = UNKNOWN_ORIGIN) {
      const id = randomness.uuid()
      const token = entropy(TOKEN_BYTES).toString('base64url')
      const now = clock.now()
      await db.query(sql.type(noRow)`
        insert into identity.sessions
          (id, token_hash, user_id, created_at, expires_at, last_position, ip, user_agent)
        values (${id}, ${hashOf(token)}, ${userId}, ${timestamp(now)},
          ${timestamp(now + SESSION_SECONDS * 1000)}, ${LOG_START}, ${ip}, ${userAgent})`)
      return { id, token }
    },
    async find(token) {
      const row = await db.maybeOne(sql.type(sessionRow)`
        select s.id, s.last_position, s.last_seen_at, u.id as user_id, u.username, u.role,
          u.user_group, u.status
        from identity.sessions s join identity.users u on u.id = s.user_id
        where s.token_hash = ${hashOf(token)} and s.expires_at > ${timestamp(clock.now())}
          and u.deleted_at is null`)
      if (row === null) return null
      await noteSeen(row)
      return {
        sessionId: row.id,
        userId: row.user_id,
        username: row.username,
        role: row.role,
        group: row.user_group,
        isBanned: row.status === 2,
        lastPosition: row.last_position,
      }
    },
    async close(token) {
      await db.query(
        sql.type(noRow)`delete from identity.sessions where token_hash = ${hashOf(token)}`,
      )
    },
    list: (userId) =>
      db.any(sql.type(openSession)`
        select id, ip, user_agent as "userAgent", created_at as "createdAt",
          coalesce(last_seen_at, created_at) as "lastSeenAt", expires_at as "expiresAt"
        from identity.sessions
        where user_id = ${userId} and expires_at > ${timestamp(clock.now())}
        order by "lastSeenAt" desc, id limit ${LISTED_MAX}`),
    async revoke(userId, sessionId) {
      const revoked = await changedRows(
        db,
        sql.type(noRow)`
          delete from identity.sessions where user_id = ${userId} and id = ${sessionId}`,
      )
      return revoked === 1
    },
    revokeAll: (userId, exceptSessionId = null) =>
      changedRows(
        db,
        sql.type(noRow)`
          delete from identity.sessions
          where user_id = ${userId} and id is distinct from ${exceptSessionId}::uuid`,
      ),
    async revokeOpenedUntil(userId, until) {
      await db.query(sql.type(noRow)`
        delete from identity.sessions
        where user_id = ${userId} and created_at <= ${timestamp(until)}`)
    },
    async rememberPosition(sessionId, position) {
      await db.query(sql.type(noRow)`
        update identity.sessions set last_position = ${position}
        where id = ${sessionId} and last_position < ${position}`)
    },
    removeExpired: () =>
      changedRows(
        db,
        sql.type(noRow)`
          delete from identity.sessions where expires_at <= ${timestamp(clock.now())}`,
      ),
  }
}

const hashOf = (token: string) => sql.binary(createHash('sha256').update(token).digest())

const sessionRow = z.object({
  id: z.string(),
  last_position: z.number(),
  last_seen_at: z.date().nullable(),
  user_id: z.number(),
  ...callerColumns,
})
type SessionRow = z.output<typeof sessionRow>

const openSession = z.object({
  id: z.string(),
  ip: z.string(),
  userAgent: z.string(),
  createdAt: z.date(),
  lastSeenAt: z.date(),
  expiresAt: z.date(),
})
