import type { ApiReply } from '@tollgate/domain/ports/api-route.ts'
import { signedInEntity } from '../users/user-entity.ts'
import { SESSION_SECONDS, type Sessions } from './sessions.ts'
import type { User } from './users.ts'

/** Signs in somebody who has proved who they are, by whatever means; what every sign-in answers (console-api 2.2). */
export async function openSession(
  sessions: Pick<Sessions, 'open' | 'close'>,
  user: User,
  formerToken: string | null,
): Promise<ApiReply> {
  // A browser has one session at a time: the one it signs in over ends.
  if (formerToken !== null) await sessions.close(formerToken)
  const { token } = await sessions.open(user.id)
  return { data: signedInEntity(user), session: { token, maxAgeSeconds: SESSION_SECONDS } }
}
