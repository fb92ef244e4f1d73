import type { Endpoint, ModelRequest } from '../protocols/model-request.ts'
import { type ThreadMessage, ThreadQueue, ThreadUnanswered } from '../thread-queue.ts'
import { roughPrompt } from './prompt-bound.ts'
import type { TokenCount } from './tokenizer/count-within.ts'

export type { TokenCount }

/** Counts that may wait for the thread at once; beyond it the rough count answers at once. */
const WAITING_MAX = 1_000
/** How long a count may take, waiting included, before the rough one is used. */
const PATIENCE_MS = 15_000
/** Thread CPU of one question, reading a long body aside; the rest is then extrapolated. */
const BUDGET_MS = 300
/** While others wait they share one budget, so that no queue of long texts holds up the rest; but a count has this much. */
const BUDGET_LEAST_MS = 20
/** A thread that is busy this long with one question hangs. Loading a vocabulary on a busy machine takes seconds. */
const OVERRUN_MS = 10_000
/** A token of the languages that tokenise worst is about three bytes; the guess when counting fails. */
const BYTES_PER_TOKEN = 3

/**
 * Counts tokens off the serving thread, where upstream gave no usage, or before a request is refused that only its byte
 * bound forbids. Each count takes at most some 400 ms of the thread; `isExact` is false where text was extrapolated,
 * which is up to a tenth too much on purpose. Both answer a rough figure by bytes when the thread does not (hung,
 * overloaded), and never fail but with the signal's reason: abort it as soon as the answer is not needed, and a
 * question that still waits is dropped.
 */
export interface TokenCounter {
  /** Tokens of texts, each counted by itself, by the vocabulary of the model. */
  countTexts(model: string, texts: readonly string[], signal?: AbortSignal): Promise<TokenCount>
  /**
   * Tokens of a request's prompt as relay-and-billing.md 4.11 has them: texts, framing, tools, tool calls, media. It is
   * the prompt's real size where promptUpperBound is its bound. The body is read again in the thread; here it is only
   * copied.
   */
  countPrompt(model: string, request: ModelRequest, signal?: AbortSignal): Promise<TokenCount>
  close(): Promise<void>
}

/** The question to the thread. */
export type CountQuestion = { readonly model: string; readonly budgetMs: number } & (
  | { readonly of: 'texts'; readonly texts: readonly string[] }
  | {
      readonly of: 'prompt'
      readonly endpoint: Endpoint
      /** The client's own bytes, JSON. */
      readonly body: Uint8Array<ArrayBuffer>
    }
)

/** A counter with OpenAI's own vocabularies in a thread of its own, which starts when it is first needed. */
export function makeTokenCounter(): TokenCounter {
  return new ThreadedCounter()
}

class ThreadedCounter implements TokenCounter {
  readonly #thread = new ThreadQueue<CountQuestion, TokenCount | null>({
    script: new URL('./counting-thread.ts', import.meta.url),
    overrunMs: OVERRUN_MS,
    patienceMs: PATIENCE_MS,
    waitingMax: WAITING_MAX,
  })

  countTexts(model: string, texts: readonly string[], signal?: AbortSignal): Promise<TokenCount> {
    if (texts.every((text) => text === '')) return Promise.resolve({ tokens: 0, isExact: true })
    return this.#ask(
      (budgetMs) => ({ question: { of: 'texts', model, texts, budgetMs } }),
      () => roughTokens(texts),
      signal,
    )
  }

  countPrompt(model: string, request: ModelRequest, signal?: AbortSignal): Promise<TokenCount> {
    const { endpoint } = request
    return this.#ask(
      (budgetMs) => {
        const body = new Uint8Array(request.raw)
        const question = { of: 'prompt' as const, model, endpoint, body, budgetMs }
        return { question, transfer: [body.buffer] }
      },
      () => roughPrompt(request),
      signal,
    )
  }

  close(): Promise<void> {
    return this.#thread.close()
  }

  async #ask(
    make: (budgetMs: number) => ThreadMessage<CountQuestion>,
    rough: () => number,
    signal: AbortSignal | undefined,
  ): Promise<TokenCount> {
    try {
      const count = await this.#thread.ask((waiting) => make(budgetWhile(waiting)), signal)
      if (count !== null) return count
    } catch (error) {
      if (!(error instanceof ThreadUnanswered)) throw error
    }
    return { tokens: rough(), isExact: false }
  }
}

const budgetWhile = (waiting: number): number =>
  Math.max(BUDGET_LEAST_MS, BUDGET_MS / (waiting + 1))

/** The rough count, by bytes. */
const roughTokens = (texts: readonly string[]): number =>
  texts.reduce((sum, text) => sum + Math.ceil(Buffer.byteLength(text) / BYTES_PER_TOKEN), 0)
