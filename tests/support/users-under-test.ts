import { adjustmentNotes } from '@tollgate/command-api/identity/adjustment-notes.ts'
import { accessTokens } from '@tollgate/command-api/identity/access-tokens.ts'
import { argon2Passwords } from '@tollgate/command-api/identity/passwords.ts'
import {
  OWN_PASSWORD_LIMIT,
  slidingWindowLimiter,
} from '@tollgate/command-api/identity/rate-limiter.ts'
import { sessionRows, type Sessions } from '@tollgate/command-api/identity/sessions.ts'
import { userStore } from '@tollgate/command-api/identity/user-store.ts'
import type { User } from '@tollgate/command-api/identity/users.ts'
import { followOptions } from '@tollgate/command-api/options/live-options.ts'
import { optionSecrets } from '@tollgate/command-api/secrets/option-secrets.ts'
import { registerUser } from '@tollgate/command-api/users/project-user.ts'
import { userRoutes } from '@tollgate/command-api/users/routes.ts'
import type { UserRouteDeps } from '@tollgate/command-api/users/self-routes.ts'
import { userId } from '@tollgate/domain/ids.ts'
import type { ApiRoute } from '@tollgate/command-api/http-contract/api-route.ts'
import type { Role } from '@tollgate/domain/user/events.ts'
import { isPublicAddress } from '@tollgate/infra/http/public-address.ts'
import { callerWith, type CommandApiFixture, openCommandApiFixture } from './command-api.ts'

/** For tests: the calls of `command-api/users` over a real log. */
export interface UsersUnderTest {
  readonly fixture: CommandApiFixture
  readonly deps: UserRouteDeps
  readonly sessions: Sessions
  readonly routes: readonly ApiRoute[]
  /** The relays' work when idle quota is called back; nothing until a test says otherwise. */
  recall: UserRouteDeps['recallIdleQuota']
  /** A new user with an open account, whose password is `PASSWORD`. */
  register(role?: Role, openingQuota?: number): Promise<User>
  /** The types of the events in a stream, oldest first. */
  typesOf(stream: string): Promise<readonly string[]>
  close(): Promise<void>
}

export const PASSWORD = 'correct horse'
/** Cause of changes that are made for a test without a request. */
export const TEST_CAUSE = { actor: 'system', correlationId: 'test', causationId: null } as const
export const as = (user: User) => callerWith(user.id, user.role)

export async function openUsersUnderTest(): Promise<UsersUnderTest> {
  const fixture = await openCommandApiFixture()
  const secrets = optionSecrets(fixture.db, fixture.vault)
  const sessions = sessionRows(fixture)
  const deps: UserRouteDeps = {
    ...fixture,
    users: userStore(fixture.db),
    sessions,
    passwords: argon2Passwords(fixture.entropy),
    ownPasswordFailures: slidingWindowLimiter(OWN_PASSWORD_LIMIT, fixture.clock),
    mayReach: isPublicAddress,
    accessTokens: accessTokens(fixture.db, fixture.vault, fixture.entropy),
    options: await followOptions({ ...fixture, secrets }),
    notes: adjustmentNotes(fixture.db),
    // The read model is another package's: here the ledger itself is asked.
    figures: async (ids) => new Map(await Promise.all(ids.map(figuresOf))),
    recallIdleQuota: (account) => under.recall(account),
    usersWithAtLeast: ({ posted = 0 }) => Promise.resolve(posted > 100 ? [] : [1]),
  }
  const figuresOf = async (id: number) => {
    const figures = await fixture.ledger.inspect(userId(id), (state) => ({
      posted: state.posted,
      held: state.held,
      usedQuota: state.usedQuota,
      requestCount: state.requestCount,
      affiliate: state.affiliate,
      affiliateEarned: state.affiliate,
      affiliateCount: 0,
    }))
    return [id, figures] as const
  }
  let made = 0
  const under: UsersUnderTest = {
    fixture,
    deps,
    sessions,
    routes: userRoutes(deps),
    recall: () => Promise.resolve(),
    async register(role = 1, openingQuota = 0) {
      const { id } = await deps.users.insert({
        username: `user${++made}`,
        passwordHash: await deps.passwords.hash(PASSWORD),
        displayName: '',
        role,
        openingQuota,
        openingSource: 'sign-up',
      })
      const { user } = await registerUser(deps, id, TEST_CAUSE)
      return user
    },
    typesOf: async (stream) => (await fixture.eventsOf(stream)).map(({ type }) => type),
    close: () => fixture.close(),
  }
  return under
}
