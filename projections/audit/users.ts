import { numberOfStream } from '@tollgate/domain/event.ts'
import type { UserEvent } from '@tollgate/domain/user/events.ts'
import { userDecider } from '@tollgate/domain/user/decider.ts'
import { NO_USER, type UserState } from '@tollgate/domain/user/state.ts'
import type { Recorded } from '../runner/projected-events.ts'
import { storableText } from '@tollgate/domain/text.ts'
import { type Comparison, compareTable, type Figure, type ExpectedModel } from './expected-model.ts'

interface ExpectedUser {
  state: UserState
  isBanned: boolean
  registeredAt: number
  deletedAt: number | null
}

const USER_TYPES: Readonly<Record<UserEvent['type'], true>> = {
  UserRegistered: true,
  UserRoleChanged: true,
  UserBanned: true,
  UserReinstated: true,
  UserGroupChanged: true,
  UserDeleted: true,
}

/** Role, standing and group of each user by the domain's own fold. */
export function expectUsers(): ExpectedModel {
  const users = new Map<number, ExpectedUser>()

  function take(event: Recorded): void {
    if (!isUserEvent(event)) return
    const id = numberOfStream(event.stream)
    if (event.type === 'UserRegistered') {
      users.set(id, {
        state: NO_USER,
        isBanned: false,
        registeredAt: event.data.at,
        deletedAt: null,
      })
    }
    const user = users.get(id)
    if (user === undefined) return
    user.state = userDecider.evolve(user.state, event)
    if (event.type === 'UserBanned') user.isBanned = true
    if (event.type === 'UserReinstated') user.isBanned = false
    if (event.type === 'UserDeleted') user.deletedAt = event.data.at
  }

  async function compare(comparison: Comparison): Promise<void> {
    await compareTable(comparison, 'users', {
      rows: comparison.rows<{ user_id: number }>('select * from users.users'),
      expected: new Map([...users].map(([id, user]) => [`user ${id}`, userRow(user)])),
      keyOf: (row) => `user ${row.user_id}`,
    })
  }

  return { model: 'users', tables: ['users'], take, compare }
}

const isUserEvent = (event: Recorded): event is Recorded<UserEvent> =>
  Object.hasOwn(USER_TYPES, event.type)

const userRow = ({
  state,
  isBanned,
  registeredAt,
  deletedAt,
}: ExpectedUser): Readonly<Record<string, Figure>> => ({
  ...(state.status === 'unknown'
    ? {}
    : { role: state.role, group_name: storableText(state.group), inviter_id: state.inviter }),
  is_banned: isBanned,
  registered_at: registeredAt,
  deleted_at: deletedAt,
})
