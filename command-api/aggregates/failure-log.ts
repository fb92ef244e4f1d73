import { LOG_START, type NewEvent } from '@tollgate/domain/event.ts'
import type { RelayId } from '@tollgate/domain/ids.ts'
import type { Clock } from '@tollgate/domain/ports/clock.ts'
import {
  EMPTY_STREAM,
  type EventStore,
  StoreUnavailable,
} from '@tollgate/domain/ports/event-store.ts'
import type { Randomness } from '@tollgate/domain/ports/randomness.ts'
import type {
  FailedRequest,
  FailureLog,
  RequestFailure,
} from '@tollgate/domain/ports/usage-journal.ts'
import { newEvents } from './cause.ts'
import { type LoadedStream, writeDecided } from './write-decided.ts'

/** Failures logged per token and minute: a client in a loop must not fill the log (architecture 4). */
const PER_TOKEN_AND_MINUTE_MAX = 20
/** Failures that may wait to be written; beyond it they are counted with the others of their token. */
const WAITING_MAX = 2_000
/** Tokens whose suppressed failures are counted at a time; failures of further tokens count as dropped. */
const TOKENS_MAX = 10_000
const BATCH_MAX = 200
const MINUTE_MS = 60_000
const DAY_MS = 86_400_000

export interface FailureLogOptions {
  readonly store: EventStore
  readonly relay: RelayId
  readonly clock: Clock
  readonly randomness: Randomness
  /** Called when failures were neither logged nor counted. */
  readonly onDropped: (count: number, error: unknown) => void
}

/**
 * Writes failed requests as RequestFailed into `relay-failures-<relay>-<day>`. The stream has one writer, so its end is
 * kept in memory. Failures beyond the limit are counted: each event of a token says how many there were since the one
 * before; `flush` writes one for those that none has followed. No request waits for any of it.
 */
export class EventFailureLog implements FailureLog {
  readonly #options: FailureLogOptions
  readonly #waiting: RequestFailure[] = []
  readonly #logged = new Map<string, number>()
  readonly #suppressed = new Map<string, Suppressed>()
  #countedMinute = 0
  #stream = ''
  /** Where it ends; null = unknown. */
  #end: LoadedStream | null = NO_EVENTS
  #writing: Promise<void> | null = null

  constructor(options: FailureLogOptions) {
    this.#options = options
  }

  record(failure: FailedRequest): void {
    const key = keyOf(failure)
    if (this.#waiting.length >= WAITING_MAX || this.#isOverItsShare(key)) {
      this.#suppress(failure, 1)
      return
    }
    const suppressed = this.#suppressed.get(key)?.count ?? 0
    this.#suppressed.delete(key)
    this.#enqueue({ ...failure, suppressed })
  }

  /** Logs the last of the suppressed failures of each token, with how many it stands for. To be called every minute. */
  flush(): void {
    const all = [...this.#suppressed.values()]
    this.#suppressed.clear()
    for (const { last, count } of all) this.#enqueue({ ...last, suppressed: count - 1 })
  }

  /** Resolves when everything recorded so far is written or dropped. */
  async settled(): Promise<void> {
    this.flush()
    while (this.#writing !== null) await this.#writing
  }

  #enqueue(failure: RequestFailure): void {
    this.#waiting.push(failure)
    this.#writing ??= this.#writeAll().finally(() => {
      this.#writing = null
    })
  }

  #suppress(last: FailedRequest, more: number): void {
    const key = keyOf(last)
    const before = this.#suppressed.get(key)
    if (before === undefined && this.#suppressed.size >= TOKENS_MAX) {
      this.#options.onDropped(more, new RangeError('failures of too many tokens are counted'))
      return
    }
    this.#suppressed.set(key, { last, count: (before?.count ?? 0) + more })
  }

  #isOverItsShare(key: string): boolean {
    const minute = Math.floor(this.#options.clock.now() / MINUTE_MS)
    if (minute !== this.#countedMinute) {
      this.#countedMinute = minute
      this.#logged.clear()
    }
    const count = (this.#logged.get(key) ?? 0) + 1
    this.#logged.set(key, count)
    return count > PER_TOKEN_AND_MINUTE_MAX
  }

  async #writeAll(): Promise<void> {
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.splice(0, BATCH_MAX)
      try {
        await this.#write(batch)
      } catch (error) {
        if (isCertainlyNotStored(error)) this.#countAgain(batch)
        else this.#options.onDropped(batch.length, error)
      }
    }
  }

  /** Counts failures that could not be written as suppressed: a later event reports them. */
  #countAgain(batch: readonly RequestFailure[]): void {
    for (const { suppressed, ...failure } of batch) this.#suppress(failure, 1 + suppressed)
  }

  async #write(batch: readonly RequestFailure[]): Promise<void> {
    const { store, relay, clock } = this.#options
    const stream = `relay-failures-${relay}-${Math.floor(clock.now() / DAY_MS)}`
    let known = stream === this.#stream ? this.#end : NO_EVENTS
    this.#stream = stream
    // Unknown until the append's outcome is: it may stand there without an answer.
    this.#end = null
    const { head, position, at } = await writeDecided(this.#options, {
      stream,
      async load() {
        const loaded = known ?? (await endOf(store, stream))
        known = null
        return loaded
      },
      decide: ({ at }) => ({ events: this.#eventsOf(batch, at) }),
      // A failure that is not written is counted, and no request waits for it.
      attemptsMs: 0,
    })
    // Not the written events, which would keep all earlier ones in memory.
    this.#end = { head, position, at }
  }

  /** The events of a batch of failures, none before `since`: time in a stream never runs back. */
  #eventsOf(batch: readonly RequestFailure[], since: number): readonly NewEvent[] {
    const { relay, randomness } = this.#options
    let at = since
    return batch.flatMap((failure) => {
      at = Math.max(at, failure.at)
      const data = { ...failure, at }
      return newEvents([{ type: 'RequestFailed', data }], causeOf(failure, relay), randomness)
    })
  }
}

/** Failures of one token that were not logged by themselves. */
interface Suppressed {
  readonly last: FailedRequest
  readonly count: number
}

const keyOf = ({ account, token }: FailedRequest): string => `${account}/${token ?? ''}`

const isCertainlyNotStored = (error: unknown): boolean =>
  error instanceof StoreUnavailable && error.outcome === 'none'

const causeOf = (failure: RequestFailure, relay: RelayId) =>
  ({ actor: `relay:${relay}`, correlationId: failure.request, causationId: null }) as const

const NO_EVENTS: LoadedStream = { head: EMPTY_STREAM, position: LOG_START, at: 0 }

async function endOf(store: EventStore, stream: string): Promise<LoadedStream> {
  for await (const event of store.readStream(stream, { direction: 'backwards', limit: 1 })) {
    const { revision, position, metadata, data } = event
    return { head: { revision, hash: metadata.hash }, position, at: data.at }
  }
  return NO_EVENTS
}
