// oxlint-disable unicorn/require-post-message-target-origin -- a worker's port has no origin; the rule means windows
import { Worker } from 'node:worker_threads'

/** Counts that may wait for the thread at once; beyond it the rough count answers at once. */
const PENDING_MAX = 1_000
/** How long a count may take before the rough one is used. */
const PATIENCE_MS = 5_000
/** A token of English is about four bytes; the guess when counting fails. */
const BYTES_PER_TOKEN = 4

/** Counts tokens where upstream gave no usage. */
export interface TokenCounter {
  /** Tokens of a text for a model; a rough figure by bytes when the tokeniser does not answer. */
  count(model: string, text: string): Promise<number>
  close(): Promise<void>
}

/**
 * Counts with OpenAI's own vocabularies in a thread of its own: loading them takes a tenth of a second and counting a
 * long text many milliseconds, neither of which may hold up streams. The thread starts when it is first needed.
 */
export function makeTokenCounter(): TokenCounter {
  return new ThreadedCounter()
}

/** The rough count, by bytes. */
export const roughTokens = (text: string): number =>
  Math.ceil(Buffer.byteLength(text) / BYTES_PER_TOKEN)

/** What goes to the thread and comes back. */
export interface CountQuestion {
  readonly number: number
  readonly model: string
  readonly text: string
}
export interface CountAnswer {
  readonly number: number
  readonly tokens: number
}

class ThreadedCounter implements TokenCounter {
  #worker: Worker | null = null
  #number = 0
  readonly #waiting = new Map<number, (tokens: number) => void>()

  count(model: string, text: string): Promise<number> {
    if (text === '') return Promise.resolve(0)
    if (this.#waiting.size >= PENDING_MAX) return Promise.resolve(roughTokens(text))
    this.#number += 1
    const number = this.#number
    const worker = this.#started()
    return new Promise((resolve) => {
      const timer = setTimeout(() => settle(roughTokens(text)), PATIENCE_MS)
      const settle = (tokens: number): void => {
        clearTimeout(timer)
        this.#waiting.delete(number)
        resolve(tokens < 0 ? roughTokens(text) : tokens)
      }
      this.#waiting.set(number, settle)
      worker.postMessage({ number, model, text } satisfies CountQuestion)
    })
  }

  async close(): Promise<void> {
    const worker = this.#worker
    this.#worker = null
    await worker?.terminate()
  }

  #started(): Worker {
    if (this.#worker !== null) return this.#worker
    const worker = new Worker(new URL('./counting-thread.ts', import.meta.url))
    worker.unref()
    worker.on('message', (answer: CountAnswer) => this.#waiting.get(answer.number)?.(answer.tokens))
    worker.on('error', () => this.#lost(worker))
    worker.on('exit', () => this.#lost(worker))
    this.#worker = worker
    return worker
  }

  /** A thread that died leaves its questions to the rough count; the next question starts another. */
  #lost(worker: Worker): void {
    if (this.#worker !== worker) return
    this.#worker = null
    for (const settle of this.#waiting.values()) settle(-1)
  }
}
