import type { IncomingHttpHeaders } from 'node:http'

/** A header's first value; upstreams repeat headers that should stand once. '' = absent. */
export function headerText(headers: IncomingHttpHeaders, name: string): string {
  const value = headers[name]
  return Array.isArray(value) ? (value[0] ?? '') : (value ?? '')
}
