import type { Clock } from '@tollgate/domain/ports/clock.ts'

/** The log that the messages go to. */
export interface RetryLogger {
  info(facts: object, message: string): void
  warn(facts: object, message: string): void
}

/** Logs once when a ledger's appends begin to be retried, and once when none is any more, however many there were. */
export class RetryLog {
  readonly #log: RetryLogger
  readonly #clock: Pick<Clock, 'monotonicMs'>
  #repeated = 0
  #sinceMs = 0

  constructor(log: RetryLogger, clock: Pick<Clock, 'monotonicMs'>) {
    this.#log = log
    this.#clock = clock
  }

  begin(stream: string, err: unknown): void {
    this.#repeated += 1
    if (this.#repeated > 1) return
    this.#sinceMs = this.#clock.monotonicMs()
    this.#log.warn(
      { err, stream },
      'ledger: the event log takes no append; commands and charges wait, and the same is appended again until it does',
    )
  }

  end(): void {
    this.#repeated -= 1
    if (this.#repeated > 0) return
    const afterMs = Math.round(this.#clock.monotonicMs() - this.#sinceMs)
    this.#log.info({ afterMs }, 'ledger: no append waits for the event log any more')
  }
}
