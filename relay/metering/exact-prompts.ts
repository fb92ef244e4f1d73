import type { UserId } from '@tollgate/domain/ids.ts'
import type { ModelRequest } from '../protocols/model-request.ts'
import type { TokenCounter } from './token-counter.ts'

/** Requests of one account that may wait to be counted; beyond it their byte bound stands. */
const COUNTS_PER_ACCOUNT_MAX = 256
/** How long a request waits to be counted, others of its account included. */
const COUNT_WAIT_MS = 2_000

/**
 * Counts prompts before their requests are refused for the highest cost of their bytes (decision 4). The thread that
 * counts is shared with all accounts: each has one question in it at a time, so that no account makes others wait.
 */
export class ExactPrompts {
  readonly #counter: TokenCounter
  readonly #accounts = new Map<UserId, { last: Promise<unknown>; counts: number }>()

  constructor(counter: TokenCounter) {
    this.#counter = counter
  }

  /**
   * Tokens of the prompt; null when it could not be counted in time. `signal` aborts when the caller needs the count no
   * more.
   */
  async count(account: UserId, request: ModelRequest, signal: AbortSignal): Promise<number | null> {
    const queue = this.#accounts.get(account) ?? { last: Promise.resolve(), counts: 0 }
    if (queue.counts >= COUNTS_PER_ACCOUNT_MAX) return null
    this.#accounts.set(account, queue)
    queue.counts += 1
    const within = AbortSignal.any([signal, AbortSignal.timeout(COUNT_WAIT_MS)])
    const counting = queue.last.then(() => this.#countNow(request, within))
    queue.last = counting
    try {
      return await counting
    } finally {
      queue.counts -= 1
      if (queue.counts === 0) this.#accounts.delete(account)
    }
  }

  async #countNow(request: ModelRequest, within: AbortSignal): Promise<number | null> {
    try {
      return (await this.#counter.countPrompt(request.model, request, within)).tokens
    } catch (error) {
      if (within.aborted) return null
      throw error
    }
  }
}
