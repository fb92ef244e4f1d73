import type { z } from 'zod'
import type { OutgoingFetch } from '../http/outgoing-fetch.ts'
import { reasonOf } from './reason.ts'

/** Timeout of each call to a provider (console-api 2.3): the user waits before a blank page meanwhile. */
export const PROVIDER_TIMEOUT_MS = 5_000

/**
 * `unreachable`: no answer in time, or the server's own trouble. `unfit`: an answer without the requested values. The
 * reason is for the log.
 */
export type ProviderAnswer<Value> =
  | { readonly status: 'answered'; readonly value: Value }
  | { readonly status: 'unreachable'; readonly reason: string }
  | { readonly status: 'unfit'; readonly reason: string }

/**
 * Asks a provider for JSON of a shape. Redirects are not followed: secrets go to the address that was configured and to
 * no other.
 */
export async function askProvider<Value>(
  fetch: OutgoingFetch,
  address: string,
  init: RequestInit,
  shape: z.ZodType<Value>,
): Promise<ProviderAnswer<Value>> {
  // Without the query, in which codes travel.
  const where = address.split('?', 1)[0] ?? ''
  let response: Response
  let body: string
  try {
    const signal = AbortSignal.timeout(PROVIDER_TIMEOUT_MS)
    response = await fetch(address, { ...init, redirect: 'error', signal })
    body = await response.text()
  } catch (error) {
    return { status: 'unreachable', reason: `${where}: ${reasonOf(error)}` }
  }
  const reason = `${where} answered ${response.status} without what was asked for`
  if (response.status >= 500) return { status: 'unreachable', reason }
  const parsed = shape.safeParse(jsonOf(body))
  return parsed.success ? { status: 'answered', value: parsed.data } : { status: 'unfit', reason }
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
