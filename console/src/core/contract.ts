import type { Answer, Row } from './calls.ts'

/**
 * Names for what the server answers, with the fields of the HTTP contract (snake case, unix seconds, quota as an integer
 * in units of account). What only one screen reads is named there.
 */

/** The signed-in user, as POST /api/user/login answers and as kept under the local key `user`. */
export type SessionUser = Pick<
  Answer<'POST /api/user/login'>,
  'id' | 'username' | 'display_name' | 'role' | 'group'
>

/**
 * The own account: `held` of its quota is reserved by open holds; what is not bound is ''; `setting` is the JSON text of
 * the notification and price settings, '' until they are saved first.
 */
export type Self = Answer<'GET /api/user/self'>

/** A user in lists; deleted ones have `DeletedAt`. An `inviter_id` of 0 is nobody. */
export type ListedUser = Row<'GET /api/user'>

/** A code: 1 unused, 2 disabled, 3 used (seeds, section 4); a `used_user_id` of 0 is nobody. */
export type Redemption = Row<'GET /api/redemption'>

/** The public settings. */
export type Status = Answer<'GET /api/status'>

/** A token; `key` comes without its `sk-`. */
export type Token = Row<'GET /api/token'>

/** A channel; JSON settings travel as text. */
export type Channel = Row<'GET /api/channel'>

/** A row of the usage log; `other` is JSON text (see features/usage-log/log-details.ts). */
export type Log = Row<'GET /api/log'>

/** A page of a list that knows its total. */
export interface Page<Row> {
  readonly items: readonly Row[]
  readonly total: number
  readonly page: number
  readonly page_size: number
}

/** Role numbers of the seeds: 1 normal, 10 administrator, 100 super administrator. */
export const ROLE_ADMIN = 10
/** The role that may change settings. */
export const ROLE_ROOT = 100

/** A session of the console; times in unix seconds. */
export type Session = Row<'GET /api/user/sessions'>

/** A change of a channel's state; a `user_id` of null is Tollgate itself. */
export type StateChange = Row<'GET /api/channel/{id}/history'>
