import { numberOfStream } from '@tollgate/domain/event.ts'
import { evolveRows, type RowsOfStreams } from '../runner/evolve-rows.ts'
import type { Projector } from '../runner/projector.ts'

/** Role, standing and group of each user; names and the rest live in `identity.users`. */
const tables = `
  create table users (
    user_id bigint primary key,
    role int not null,
    is_banned boolean not null,
    group_name text not null,
    inviter_id bigint,
    registered_at bigint not null,
    deleted_at bigint
  )`

const comparison = `
  select 'user ' || user_id as key, jsonb_build_object('role', role, 'is_banned', is_banned, 'group', group_name,
    'deleted_at', deleted_at) as figures
  from {users}`

const eventTypes = [
  'UserRegistered',
  'UserRoleChanged',
  'UserBanned',
  'UserReinstated',
  'UserGroupChanged',
  'UserDeleted',
] as const

type UserEvent = Parameters<typeof users.handle>[0][number]

/** A row of `users.users`. Times in unix milliseconds. */
export interface UserRow {
  readonly user_id: number
  readonly role: 1 | 10 | 100
  readonly is_banned: boolean
  readonly group_name: string
  readonly inviter_id: number | null
  readonly registered_at: number
  readonly deleted_at: number | null
}

const USER_COLUMNS = {
  user_id: 'bigint',
  role: 'int',
  is_banned: 'boolean',
  group_name: 'text',
  inviter_id: 'bigint',
  registered_at: 'bigint',
  deleted_at: 'bigint',
} as const

/** The facts about users that the relay and the admin's lists need. Reads the events of `user-…`. */
export const users: Projector<(typeof eventTypes)[number]> = {
  name: 'users',
  version: 1,
  streamPrefixes: ['user-'],
  eventTypes,
  tables,
  indexes: '',
  comparison,
  handle: (batch, tx) => evolveRows(tx, ROWS, batch),
}

/** The row after one more event; undefined for an event of a user who never registered. */
function evolve(row: UserRow | undefined, event: UserEvent): UserRow | undefined {
  if (event.type === 'UserRegistered') {
    const { role, group, inviter, at } = event.data
    return {
      user_id: numberOfStream(event.stream),
      role,
      is_banned: false,
      group_name: group,
      inviter_id: inviter,
      registered_at: at,
      deleted_at: null,
    }
  }
  if (row === undefined) return undefined
  switch (event.type) {
    case 'UserRoleChanged':
      return { ...row, role: event.data.role }
    case 'UserBanned':
      return { ...row, is_banned: true }
    case 'UserReinstated':
      return { ...row, is_banned: false }
    case 'UserGroupChanged':
      return { ...row, group_name: event.data.group }
    case 'UserDeleted':
      return { ...row, deleted_at: event.data.at }
    default:
      return event satisfies never
  }
}

const ROWS: RowsOfStreams<UserRow, UserEvent> = {
  table: 'users',
  columns: USER_COLUMNS,
  key: 'user_id',
  keyOf: numberOfStream,
  changing: ['role', 'is_banned', 'group_name', 'deleted_at'],
  evolve,
}
