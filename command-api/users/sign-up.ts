import { userStream } from '@tollgate/domain/event.ts'
import type { UserId } from '@tollgate/domain/ids.ts'
import { UNNAMED_COMMAND } from '../http-contract/api-route.ts'
import type { ExternalIds, NewUser, User, UserStore } from '../identity/users.ts'
import { AffCodeTaken } from '../identity/name-conflicts.ts'
import type { CommandCause } from '../aggregates/cause.ts'
import { runSteps } from '../workflows/manager/run-steps.ts'
import type { LiveOptions } from '../options/live-options.ts'
import type { Entropy } from '../secrets/entropy.ts'
import { drawAffCode } from './aff-code.ts'
import { invitationSteps } from '../workflows/invitation-reward.ts'
import { type ProjectedUser, registerUser, type UserWriter } from './project-user.ts'

export interface SignUpDeps extends UserWriter {
  readonly users: UserWriter['users'] & Pick<UserStore, 'insert' | 'byAffCode'>
  readonly options: Pick<LiveOptions, 'current'>
  readonly entropy: Entropy
}

/** A new user, of role 1. */
export interface SignUp {
  readonly username: string
  readonly displayName: string
  /** Null for who signs in through others only. */
  readonly passwordHash: string | null
  /** '' = none. */
  readonly email?: string
  /** They have shown that the e-mail is theirs. */
  readonly isEmailOwn?: boolean
  /** Affiliate code of the inviter; '' or an unknown one counts as none. */
  readonly inviterCode?: string
  /** They are promised a token: who signs them up gives it, or the workflow manager does. */
  readonly isTokenOwed?: boolean
  readonly externalIds?: Partial<ExternalIds>
}

/**
 * Makes a user with row, affiliate code, events, account, opening quota and rewards of an invitation (console-api
 * 2.2a). The workflow manager finishes a sign-up that a crash interrupts. Fails with UsernameTaken, with EmailTaken (of
 * an own e-mail), or with the database's failure about external ids. The position is that of the last event.
 */
export async function signUp(
  deps: SignUpDeps,
  signUpDetails: SignUp,
  cause: CommandCause,
  reserve = UNNAMED_COMMAND.reserve,
): Promise<ProjectedUser> {
  const { inviterCode = '', ...known } = signUpDetails
  const options = deps.options.current()
  const inviter = inviterCode === '' ? null : await deps.users.byAffCode(inviterCode)
  const row: NewUser = {
    ...known,
    role: 1,
    openingQuota: options.number('QuotaForNewUser'),
    openingSource: 'sign-up',
    ...(inviter !== null && {
      inviterId: inviter.id,
      invitation: {
        inviteeReward: options.number('QuotaForInvitee'),
        inviterReward: options.number('QuotaForInviter'),
      },
    }),
  }
  const id = await reserve(async () => (await insertWithAffCode(deps, row)).id)
  const registered = await registerUser(deps, id, cause)
  if (inviter === null) return registered
  await payInvitation(deps, registered.user.id)
  return { ...registered, position: await deps.store.headPosition() }
}

const insertWithAffCode = (deps: SignUpDeps, row: NewUser): Promise<User> =>
  drawAffCode(deps.entropy, async (affCode) => {
    try {
      return await deps.users.insert({ ...row, affCode })
    } catch (error) {
      if (error instanceof AffCodeTaken) return null
      throw error
    }
  })

/** A person does not wait longer for the answer to a sign-up. */
const STEP_MS = 5_000

/**
 * Takes the steps that the workflow manager would take in a moment, so that the new user sees their quota at once. A
 * failed step here is no failure of the sign-up: the manager goes on with it, and tells when it cannot.
 */
async function payInvitation(deps: SignUpDeps, user: UserId): Promise<void> {
  for await (const event of deps.store.readStream(userStream(user), { limit: 1 })) {
    await runSteps(invitationSteps(deps, event), '', {
      clock: deps.clock,
      signal: new AbortController().signal,
      stepMs: STEP_MS,
    })
  }
}
