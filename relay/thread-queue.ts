// oxlint-disable unicorn/require-post-message-target-origin -- a worker's port has no origin; the rule means windows
import { type TransferListItem, Worker } from 'node:worker_threads'

/** A question as it goes to the thread; made when its turn comes, so that a dropped one costs nothing. */
export interface ThreadMessage<Question> {
  readonly question: Question
  readonly transfer?: readonly TransferListItem[]
}

export interface ThreadQueueOptions {
  /** A module that answers each message of its parent port with one message. */
  readonly script: URL
  /** A thread that takes longer than this for one question is ended and replaced. */
  readonly overrunMs: number
  /** A question that was not answered for this long is given up, and dropped if it still waits. */
  readonly patienceMs: number
  /** Questions that may wait; further ones are turned away. */
  readonly waitingMax: number
}

/** Why a question was not answered. `full`, `overdue` and `ended` say nothing of the question itself. */
export class ThreadUnanswered extends Error {
  readonly code: 'full' | 'overdue' | 'overran' | 'ended'

  constructor(code: ThreadUnanswered['code'], options?: ErrorOptions) {
    super(`a question to a thread was not answered: ${code}`, options)
    this.code = code
  }
}

interface Entry<Question, Answer> {
  readonly make: (waiting: number) => ThreadMessage<Question>
  readonly resolve: (answer: Answer) => void
  readonly reject: (reason: unknown) => void
}

/**
 * A thread that answers one question at a time, started with the first. Waiting questions are kept here and not in the
 * thread's own mailbox. A question whose asker gave up is dropped before it costs anything, and a thread that hangs or
 * dies takes only its present question with it.
 */
export class ThreadQueue<Question, Answer> {
  readonly #options: ThreadQueueOptions
  readonly #waiting = new Set<Entry<Question, Answer>>()
  #current: Entry<Question, Answer> | null = null
  #overrun: NodeJS.Timeout | undefined
  #worker: Worker | null = null

  constructor(options: ThreadQueueOptions) {
    this.#options = options
  }

  /**
   * Asks, and waits for the answer until `signal` aborts. `make` gets the number of others that wait. Rejects with the
   * signal's reason, or a ThreadUnanswered.
   */
  ask(make: (waiting: number) => ThreadMessage<Question>, signal?: AbortSignal): Promise<Answer> {
    if (signal?.aborted === true) return Promise.reject(reasonOf(signal))
    if (this.#waiting.size >= this.#options.waitingMax) {
      return Promise.reject(new ThreadUnanswered('full'))
    }
    return new Promise((resolve, reject) => {
      const giveUp = (reason: unknown): void => {
        this.#waiting.delete(entry)
        entry.reject(reason)
      }
      const abort = (): void => giveUp(signal === undefined ? undefined : reasonOf(signal))
      const patience = setTimeout(
        () => giveUp(new ThreadUnanswered('overdue')),
        this.#options.patienceMs,
      )
      const forget = (): void => {
        clearTimeout(patience)
        signal?.removeEventListener('abort', abort)
      }
      const entry: Entry<Question, Answer> = {
        make,
        resolve: (answer) => {
          forget()
          resolve(answer)
        },
        reject: (reason) => {
          forget()
          reject(asError(reason))
        },
      }
      signal?.addEventListener('abort', abort, { once: true })
      this.#waiting.add(entry)
      this.#askNext()
    })
  }

  /** Ends the thread; waiting questions are not answered. A later question starts another. */
  async close(): Promise<void> {
    const worker = this.#worker
    this.#worker = null
    this.#settle((entry) => entry.reject(new ThreadUnanswered('ended')))
    for (const entry of this.#waiting) entry.reject(new ThreadUnanswered('ended'))
    this.#waiting.clear()
    await worker?.terminate()
  }

  #askNext(): void {
    if (this.#current !== null) return
    const [entry] = this.#waiting
    if (entry === undefined) return
    this.#waiting.delete(entry)
    this.#current = entry
    try {
      const { question, transfer } = entry.make(this.#waiting.size)
      this.#started().postMessage(question, [...(transfer ?? [])])
    } catch (error) {
      this.#settle(() => entry.reject(error))
      this.#askNext()
      return
    }
    this.#limit()
  }

  /** Gives the thread its time, from now on. */
  #limit(): void {
    clearTimeout(this.#overrun)
    this.#overrun = setTimeout(() => this.#lose(this.#worker, 'overran'), this.#options.overrunMs)
  }

  #started(): Worker {
    if (this.#worker !== null) return this.#worker
    const worker = new Worker(this.#options.script)
    worker.unref()
    // A question does not pay for the start of its thread, which a busy machine makes long.
    worker.on('online', () => {
      if (this.#worker === worker && this.#current !== null) this.#limit()
    })
    worker.on('message', (answer: Answer) => {
      if (this.#worker !== worker) return
      this.#settle((entry) => entry.resolve(answer))
      this.#askNext()
    })
    worker.on('error', (error) => this.#lose(worker, 'ended', error))
    worker.on('exit', () => this.#lose(worker, 'ended'))
    this.#worker = worker
    return worker
  }

  /** Gives a thread up with the question it has; the next question gets a new thread. */
  #lose(worker: Worker | null, code: 'overran' | 'ended', cause?: unknown): void {
    if (worker === null || this.#worker !== worker) return
    this.#worker = null
    void worker.terminate()
    this.#settle((entry) => entry.reject(new ThreadUnanswered(code, { cause })))
    this.#askNext()
  }

  #settle(tell: (entry: Entry<Question, Answer>) => void): void {
    clearTimeout(this.#overrun)
    const entry = this.#current
    this.#current = null
    if (entry !== null) tell(entry)
  }
}

const reasonOf = (signal: AbortSignal): unknown => signal.reason

const asError = (reason: unknown): Error =>
  reason instanceof Error ? reason : new Error('given up', { cause: reason })
