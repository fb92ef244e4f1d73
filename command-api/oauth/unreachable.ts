import type { CustomFetch } from 'openid-client'
import type { OutgoingFetch } from '../http/outgoing-fetch.ts'

/** A provider did not answer in time, or with trouble of its own: trying again may help. */
class ProviderUnreachable extends Error {
  readonly code = 'PROVIDER_UNREACHABLE'
  readonly retryable = true
  constructor(cause: unknown) {
    super('the provider could not be reached', { cause })
    this.name = 'ProviderUnreachable'
  }
}

/** The fetch that openid-client uses. Its failures can be told from those of reading an answer, see isUnreachable. */
export const orUnreachable =
  (fetch: OutgoingFetch): CustomFetch =>
  async (address, { body, headers, method, redirect, signal }) => {
    const asked = { body: body ?? null, headers, method, redirect, signal: signal ?? null }
    const answer = await fetch(address, asked as RequestInit).catch((cause: unknown) => {
      throw new ProviderUnreachable(cause)
    })
    if (answer.status >= 500)
      throw new ProviderUnreachable(new Error(`${address} answered ${answer.status}`))
    return answer
  }

/** Whether such a fetch's failure is at the bottom of an error. */
export function isUnreachable(error: unknown): boolean {
  for (let at = error; at instanceof Error; at = at.cause) {
    if (at instanceof ProviderUnreachable) return true
  }
  return false
}
