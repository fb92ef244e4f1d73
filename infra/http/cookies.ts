import { parseCookie } from 'cookie'
import type { CookieToSet } from '@tollgate/command-api/http-contract/api-route.ts'
import type { FastifyReply } from 'fastify'

export const SESSION_COOKIE = 'session'
export const VISITOR_COOKIE = 'visitor'
export const KNOWN_BROWSER_COOKIE = 'known_browser'

/** HttpOnly, SameSite=Lax, Secure under https (decision 17); null takes the cookie away. */
export const setSessionCookie = (
  reply: FastifyReply,
  session: CookieToSet | null,
  isHttps: boolean,
): void => setCookie(reply, SESSION_COOKIE, session, { path: '/', isHttps })

/** As the session's, for console calls alone. */
export const setVisitorCookie = (
  reply: FastifyReply,
  visitor: CookieToSet | null,
  isHttps: boolean,
): void => setCookie(reply, VISITOR_COOKIE, visitor, { path: '/api', isHttps })

/** As the session's, for signing in alone. */
export const setKnownBrowserCookie = (
  reply: FastifyReply,
  browser: CookieToSet,
  isHttps: boolean,
): void => setCookie(reply, KNOWN_BROWSER_COOKIE, browser, { path: '/api/user/login', isHttps })

function setCookie(
  reply: FastifyReply,
  name: string,
  cookie: CookieToSet | null,
  { path, isHttps }: { readonly path: string; readonly isHttps: boolean },
): void {
  const attributes = { path, httpOnly: true, sameSite: 'lax', secure: isHttps } as const
  if (cookie === null) void reply.clearCookie(name, attributes)
  else void reply.setCookie(name, cookie.token, { ...attributes, maxAge: cookie.maxAgeSeconds })
}

/** The session in a Cookie header, where no cookie plugin reads it; null when there is none. */
export function sessionTokenOf(header: string | undefined): string | null {
  const value = parseCookie(header ?? '')[SESSION_COOKIE]
  return value === undefined || value === '' ? null : value
}
