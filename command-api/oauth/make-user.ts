import type { Position } from '@tollgate/domain/event.ts'
import { type ExternalIdStore, isExternalIdTaken } from '../identity/external-ids.ts'
import { EmailTaken, UsernameTaken } from '../identity/name-conflicts.ts'
import type { User } from '../identity/users.ts'
import type { CommandCause } from '../aggregates/cause.ts'
import { registerUser } from '../users/project-user.ts'
import { type SignUp, type SignUpDeps, signUp } from '../users/sign-up.ts'
import type { Profile, SignUpProvider } from './provider.ts'

export interface MakeUserDeps extends SignUpDeps {
  readonly externalIds: Pick<ExternalIdStore, 'find' | 'nextNumber'>
}

/** Limits of forms for a display name and an e-mail (console-api 1.2): an admin can save the user again. */
const DISPLAY_NAME_CHARACTERS_MAX = 20
const EMAIL_CHARACTERS_MAX = 50
/** Names that a provider gives may be longer than those that people choose; no list shows more. */
const USERNAME_CHARACTERS_MAX = 50
/** Each further number is another's sign-up in the same moment. */
const NUMBERS_TRIED_MAX = 20

/**
 * Makes a user of a person that a provider vouches for. When two sign up with one id at the same moment, both calls
 * answer the one resulting user. The position is that of the last event.
 */
export async function makeUser(
  deps: MakeUserDeps,
  provider: SignUpProvider,
  { profile, affCode }: { readonly profile: Profile; readonly affCode: string },
  cause: CommandCause,
): Promise<{ readonly user: User; readonly position: Position }> {
  const { kind } = provider
  const signUp = {
    displayName: cut(printable(profile.displayName), DISPLAY_NAME_CHARACTERS_MAX),
    passwordHash: null,
    email: profile.email.length > EMAIL_CHARACTERS_MAX ? '' : printable(profile.email),
    inviterCode: affCode,
    externalIds: { [kind]: profile.id },
  }
  for await (const username of namesFor(deps, provider, profile)) {
    try {
      return await signUpWithEmail(deps, { ...signUp, username }, cause)
    } catch (error) {
      if (isExternalIdTaken(error)) {
        const user = await deps.externalIds.find({ kind, id: profile.id })
        // The process that made the row may have died, or be a moment behind: both bring the row to the same end.
        if (user !== null) return await registerUser(deps, user.id, cause)
      }
      if (!(error instanceof UsernameTaken)) throw error
    }
  }
  throw new NoFreeName(provider.namePrefix)
}

/** Without the e-mail when another user has it as a name. */
async function signUpWithEmail(deps: MakeUserDeps, details: SignUp, cause: CommandCause) {
  try {
    return await signUp(deps, details, cause)
  } catch (error) {
    if (!(error instanceof EmailTaken)) throw error
    return signUp(deps, { ...details, email: '' }, cause)
  }
}

/** The provider's own name for the person where it will do, then numbered ones. */
async function* namesFor(
  deps: MakeUserDeps,
  { namePrefix }: SignUpProvider,
  { username }: Profile,
): AsyncGenerator<string> {
  // A user called like another's e-mail would sign in, by password, in their place: the store refuses that.
  if (isFitName(username)) yield username
  let number = 0
  for (let tried = 0; tried < NUMBERS_TRIED_MAX; tried++) {
    number = Math.max(number + 1, await deps.externalIds.nextNumber())
    yield `${namePrefix}_${number}`
  }
}

const isFitName = (name: string): boolean =>
  name !== '' && name === printable(name) && name.length <= USERNAME_CHARACTERS_MAX

/** Without characters that break lines, reorder text or cannot be seen. */
const printable = (text: string): string => text.replace(/\s+/g, ' ').replace(/\p{C}/gu, '').trim()

const cut = (text: string, charactersMax: number): string =>
  Array.from(text).slice(0, charactersMax).join('').trim()

/** Many people sign up at once; the person may try again. */
class NoFreeName extends Error {
  readonly code = 'NO_FREE_NAME'
  readonly retryable = true
  constructor(prefix: string) {
    super(`no free user name ${prefix}_n was found`)
    this.name = 'NoFreeName'
  }
}
