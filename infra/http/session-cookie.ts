import type { ApiReply } from '@tollgate/domain/ports/api-route.ts'
import type { FastifyReply } from 'fastify'

export const SESSION_COOKIE = 'session'

/** HttpOnly, SameSite=Lax, Secure under https (decision 17); null takes the cookie away. */
export function setSessionCookie(
  reply: FastifyReply,
  session: NonNullable<ApiReply['session']> | null,
  isHttps: boolean,
): void {
  const attributes = { path: '/', httpOnly: true, sameSite: 'lax', secure: isHttps } as const
  if (session === null) {
    void reply.clearCookie(SESSION_COOKIE, attributes)
    return
  }
  void reply.setCookie(SESSION_COOKIE, session.token, {
    ...attributes,
    maxAge: session.maxAgeSeconds,
  })
}
