/**
 * Headers of calls that pages of any site may make: the caller's key is in the request, no cookie is read (console-api
 * 1.6).
 */
export const CROSS_ORIGIN_HEADERS = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers': 'X-Oneapi-Request-Id, X-Request-Id, Retry-After',
} as const

/** The answer to a browser that asks whether a page may make such a call; remembered for twelve hours. */
export const PREFLIGHT_HEADERS = {
  ...CROSS_ORIGIN_HEADERS,
  'access-control-allow-methods': 'GET, POST, PUT, DELETE, OPTIONS',
  // The star does not stand for Authorization.
  'access-control-allow-headers': '*, Authorization, Content-Type',
  'access-control-max-age': '43200',
} as const
