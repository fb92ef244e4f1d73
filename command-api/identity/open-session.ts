import type { Position } from '@tollgate/domain/event.ts'
import type { ApiReply, ApiRequest } from '../http-contract/api-route.ts'
import { signedInEntity } from '../users/user-entity.ts'
import { SESSION_SECONDS, type Sessions } from './sessions.ts'
import type { User } from './users.ts'

/**
 * Signs in a user who has proved who they are, and answers as every sign-in does (console-api 2.2). `wrote` is the
 * position of an account that was just made: the session's first reads wait for it.
 */
export async function openSession(
  sessions: Pick<Sessions, 'open' | 'close' | 'rememberPosition'>,
  user: User,
  {
    sessionToken: formerToken,
    ip,
    userAgent,
  }: Pick<ApiRequest, 'sessionToken' | 'ip' | 'userAgent'>,
  wrote?: Position,
): Promise<ApiReply> {
  // A browser has one session at a time: the one it signs in over ends.
  if (formerToken !== null) await sessions.close(formerToken)
  const { id, token } = await sessions.open(user.id, { ip, userAgent })
  if (wrote !== undefined) await sessions.rememberPosition(id, wrote)
  return { data: signedInEntity(user), session: { token, maxAgeSeconds: SESSION_SECONDS } }
}
