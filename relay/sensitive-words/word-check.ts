import { clientProtocol } from '../protocols/client-protocols.ts'
import type { Endpoint, ModelRequest } from '../protocols/model-request.ts'
import { ThreadQueue } from '../thread-queue.ts'
import type { SensitiveWords } from './sensitive-words.ts'

/** Bodies up to this are looked through at once: some 10 ms at most. Longer ones go to a thread. */
const BYTES_AT_ONCE_MAX = 256 * 1024
/** Long bodies that may wait for the thread, each up to 32 MiB. */
const WAITING_MAX = 100
/** The longest body takes the thread some two seconds. */
const PATIENCE_MS = 30_000

/** The question to the thread. */
export interface WordQuestion {
  readonly list: string
  readonly endpoint: Endpoint
  /** The client's own bytes, JSON. */
  readonly body: Uint8Array<ArrayBuffer>
}

/** Looks through prompts for sensitive words. */
export interface WordCheck {
  /**
   * Whether a prompt contains one of the words; at once for most, in a thread for long bodies. Fails with a
   * ThreadUnanswered when the thread is overloaded or hangs.
   */
  finds(words: SensitiveWords, request: ModelRequest): boolean | Promise<boolean>
  close(): Promise<void>
}

export function makeWordCheck(): WordCheck {
  const thread = new ThreadQueue<WordQuestion, boolean>({
    script: new URL('./word-thread.ts', import.meta.url),
    overrunMs: PATIENCE_MS,
    patienceMs: PATIENCE_MS,
    waitingMax: WAITING_MAX,
  })
  return {
    finds(words, request) {
      if (words.list === '') return false
      const { endpoint, body: read } = request
      if (read !== null && request.raw.length <= BYTES_AT_ONCE_MAX) {
        return words.areIn(clientProtocol(endpoint.protocol).texts(read, endpoint))
      }
      return thread.ask(() => {
        const body = new Uint8Array(request.raw)
        return { question: { list: words.list, endpoint, body }, transfer: [body.buffer] }
      })
    },
    close: () => thread.close(),
  }
}
