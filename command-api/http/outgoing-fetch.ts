/**
 * Asks an address that a user or an operator has named; `fetch` itself fits. The one that a process injects refuses
 * addresses inside the operator's own network, bounds time and size, and fails with OutgoingRefused when it will not
 * ask.
 */
export type OutgoingFetch = (address: string | URL, init?: RequestInit) => Promise<Response>

/** An address that is not asked, or an answer that is not taken: trying again is of no use. */
export class OutgoingRefused extends Error {
  readonly code: 'ADDRESS_NOT_HTTP' | 'ADDRESS_PRIVATE' | 'ANSWER_TOO_LARGE'
  readonly retryable = false
  constructor(code: OutgoingRefused['code'], message: string) {
    super(message)
    this.name = 'OutgoingRefused'
    this.code = code
  }
}
