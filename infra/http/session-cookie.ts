import { parseCookie } from 'cookie'
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

/** The session in a Cookie header, where no cookie plugin reads it; null when there is none. */
export function sessionTokenOf(header: string | undefined): string | null {
  const value = parseCookie(header ?? '')[SESSION_COOKIE]
  return value === undefined || value === '' ? null : value
}
