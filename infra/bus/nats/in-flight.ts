import type { NatsLink } from './connection.ts'

/** NATS is unavailable, became so before it answered, or too much waits for it already. */
export class NatsUnavailable extends Error {
  readonly code = 'NATS_AWAY'
  readonly retryable = true
  /** 'none' when certainly nothing was sent. */
  readonly outcome: 'none' | 'unknown'
  constructor(message: string, outcome: 'none' | 'unknown') {
    super(message)
    this.name = 'NatsUnavailable'
    this.outcome = outcome
  }
}

export type InFlight = <Answer>(work: () => Promise<Answer>) => Promise<Answer>

/**
 * Does work that needs the connection, at most `max` at a time. It fails with NatsUnavailable at once while NATS is
 * unavailable (the client would keep the message in its buffer and may send it much later), and as soon as the
 * connection is lost.
 */
export function inFlight(link: NatsLink, max: number): InFlight {
  const failing = new Set<(error: NatsUnavailable) => void>()
  link.onDisconnect(() => {
    const error = new NatsUnavailable(
      'the connection to NATS was lost before the answer',
      'unknown',
    )
    for (const fail of failing) fail(error)
    failing.clear()
  })
  return (work) => {
    if (!link.isConnected()) return Promise.reject(new NatsUnavailable('NATS is away', 'none'))
    if (failing.size >= max) {
      return Promise.reject(new NatsUnavailable(`more than ${max} messages wait for NATS`, 'none'))
    }
    return new Promise((resolve, reject) => {
      failing.add(reject)
      const ended = <Value>(pass: (value: Value) => void) => {
        return (value: Value): void => {
          failing.delete(reject)
          pass(value)
        }
      }
      work().then(ended(resolve), ended(reject))
    })
  }
}
