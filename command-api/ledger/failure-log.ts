import type { NewEvent } from '@tollgate/domain/event.ts'
import type { RelayId } from '@tollgate/domain/ids.ts'
import type { Clock } from '@tollgate/domain/ports/clock.ts'
import {
  EMPTY_STREAM,
  type EventStore,
  RevisionConflict,
  type StreamHead,
} from '@tollgate/domain/ports/event-store.ts'
import type { Randomness } from '@tollgate/domain/ports/randomness.ts'
import type { FailureLog, RequestFailure } from '@tollgate/domain/ports/usage-journal.ts'
import { newEvents } from './cause.ts'

/** Failures kept per token and minute: a client in a loop must not fill the log (architecture 4). */
const PER_TOKEN_AND_MINUTE_MAX = 20
/** Failures that may wait to be written; beyond it they are counted and dropped. */
const WAITING_MAX = 2_000
const BATCH_MAX = 200
const MINUTE_MS = 60_000
const DAY_MS = 86_400_000

export interface FailureLogOptions {
  readonly store: EventStore
  readonly relay: RelayId
  readonly clock: Clock
  readonly randomness: Randomness
  /** Told when failures could not be written. */
  readonly onDropped: (count: number, error: unknown) => void
}

/**
 * Writes failed requests as RequestFailed into `relay-failures-<relay>-<day>`. The stream has one writer, so its head
 * is kept in memory. Losing some while the store is away is allowed; nobody waits for it.
 */
export class EventFailureLog implements FailureLog {
  readonly #options: FailureLogOptions
  readonly #waiting: RequestFailure[] = []
  readonly #counts = new Map<string, number>()
  #countedMinute = 0
  #stream = ''
  #head: StreamHead = EMPTY_STREAM
  /** The latest `at` in the stream: time in a stream never runs back. */
  #at = 0
  #writing: Promise<void> | null = null

  constructor(options: FailureLogOptions) {
    this.#options = options
  }

  record(failure: RequestFailure): void {
    if (this.#waiting.length >= WAITING_MAX || this.#isOverItsShare(failure)) return
    this.#waiting.push(failure)
    this.#writing ??= this.#writeAll().finally(() => {
      this.#writing = null
    })
  }

  /** Resolves when everything recorded so far is written or dropped. */
  async settled(): Promise<void> {
    while (this.#writing !== null) await this.#writing
  }

  #isOverItsShare({ account, token }: RequestFailure): boolean {
    const minute = Math.floor(this.#options.clock.now() / MINUTE_MS)
    if (minute !== this.#countedMinute) {
      this.#countedMinute = minute
      this.#counts.clear()
    }
    const key = `${account}/${token ?? ''}`
    const count = (this.#counts.get(key) ?? 0) + 1
    this.#counts.set(key, count)
    return count > PER_TOKEN_AND_MINUTE_MAX
  }

  async #writeAll(): Promise<void> {
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.splice(0, BATCH_MAX)
      try {
        await this.#write(batch)
      } catch (error) {
        this.#options.onDropped(batch.length, error)
      }
    }
  }

  async #write(batch: readonly RequestFailure[]): Promise<void> {
    const { store, relay, clock, randomness } = this.#options
    const stream = `relay-failures-${relay}-${Math.floor(clock.now() / DAY_MS)}`
    if (stream !== this.#stream) {
      this.#stream = stream
      this.#head = EMPTY_STREAM
    }
    const events: NewEvent[] = batch.flatMap((failure) => {
      this.#at = Math.max(this.#at, failure.at)
      const data = { ...failure, at: this.#at }
      return newEvents([{ type: 'RequestFailed', data }], causeOf(failure, relay), randomness)
    })
    try {
      this.#head = (await store.append(stream, events, this.#head)).head
    } catch (error) {
      // An append of unknown outcome may stand there: continue after whatever does.
      this.#head = await headOf(store, stream)
      if (!(error instanceof RevisionConflict)) throw error
      this.#head = (await store.append(stream, events, this.#head)).head
    }
  }
}

const causeOf = (failure: RequestFailure, relay: RelayId) =>
  ({ actor: `relay:${relay}`, correlationId: failure.request, causationId: null }) as const

async function headOf(store: EventStore, stream: string): Promise<StreamHead> {
  for await (const event of store.readStream(stream, { direction: 'backwards', limit: 1 })) {
    return { revision: event.revision, hash: event.metadata.hash }
  }
  return EMPTY_STREAM
}
